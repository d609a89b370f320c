// The playground: puts the parts together.

import { setLoading, startTheme, startOffline } from "./page";
import { Playground } from "./playground";

startTheme();
startOffline();

const playground = new Playground();
// For the tests: what the page would do with a command line.
Object.assign(window, { playground });
void playground.begin().finally(() => setLoading(false));
