// The language server of cslrun in VS Code, and the pictures of DSDs and the page of `--report` in panels.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commands, debug, DebugAdapterExecutable, DebugAdapterServer, ExtensionContext, ViewColumn, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function command(): string {
  return workspace.getConfiguration("csl").get<string>("path") || "cslrun";
}

async function start(): Promise<void> {
  const arch = workspace.getConfiguration("csl").get<string>("arch");
  // Without a transport the client speaks over standard input and output, and adds no argument for that.
  const server = { command: command(), args: ["lsp"] };
  client = new LanguageClient("csl", "CSL", server, {
    documentSelector: [{ scheme: "file", language: "csl" }],
    initializationOptions: arch ? { arch } : {},
  });
  await client.start();
}

async function restart(): Promise<void> {
  await client?.stop();
  await start();
}

/** Asks the server for what it knows by one of its commands; shows why there is no answer. */
async function ask<T>(name: string, ...values: unknown[]): Promise<T | undefined> {
  try {
    return await client?.sendRequest<T>("workspace/executeCommand", { command: name, arguments: values });
  } catch (error) {
    void window.showErrorMessage(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function show(title: string, page: string): void {
  const panel = window.createWebviewPanel("csl", title, ViewColumn.Beside, { enableScripts: true });
  panel.webview.html = page;
}

/** Draws the DSD under the cursor, or the one that its line builds. */
async function drawDsd(): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor || !client) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const drawing = await ask<{ title: string; svg: string }>("cslrun.drawDsd", uri, editor.selection.active);
  if (drawing) {
    // The picture is drawn for a white page, whatever the theme.
    show(drawing.title, `<body style="background: white">${drawing.svg}</body>`);
  }
}

/** Runs cslrun in a folder; what it has printed, whatever its exit status. */
function cslrun(args: string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command(), args, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") {
        reject(error);
      } else {
        resolve(stdout + stderr);
      }
    });
  });
}

/** Runs the program that the file belongs to, and shows its report; without one, what was printed is the reason. */
async function report(): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor || !client) {
    return;
  }
  await workspace.saveAll(false);
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const program = await ask<{ file: string; arguments: string[] }>("cslrun.program", uri);
  if (!program) {
    return;
  }
  const scratch = await mkdtemp(join(tmpdir(), "csl-"));
  try {
    const file = join(scratch, "report.html");
    const printed = await cslrun([program.file, ...program.arguments, "--report", file], dirname(program.file));
    const page = await readFile(file, "utf8").catch(() => undefined);
    if (page === undefined) {
      void window.showErrorMessage(printed.trim() || "cslrun has written no report");
    } else {
      show("Report", page);
    }
  } catch (error) {
    void window.showErrorMessage(`cslrun does not start: ${String(error)}; the setting csl.path names it`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("csl.drawDsd", drawDsd),
    commands.registerCommand("csl.report", report),
    commands.registerCommand("csl.restart", restart),
    debug.registerDebugAdapterDescriptorFactory("cslrun", {
      // A host script that waits is a server already.
      createDebugAdapterDescriptor: (session) =>
        session.configuration.request === "attach"
          ? new DebugAdapterServer(session.configuration.port)
          : new DebugAdapterExecutable(command(), ["debug", "--dap"], { cwd: session.workspaceFolder?.uri.fsPath }),
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
