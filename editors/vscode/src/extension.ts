// The language server of cslrun in VS Code, and the pictures of `cslrun dsd` and `--report` in panels.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands, ExtensionContext, ViewColumn, window, workspace } from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function command(): string {
  return workspace.getConfiguration("csl").get<string>("path") || "cslrun";
}

async function start(): Promise<void> {
  const arch = workspace.getConfiguration("csl").get<string>("arch");
  const server = { command: command(), args: ["lsp"], transport: TransportKind.stdio };
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

/** Runs cslrun in the folder of the program; what it has printed, whatever its exit status. */
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

/** Shows the file that a command writes in a panel; if it writes none, what it has printed is the reason. */
async function show(title: string, ending: string, args: (file: string) => string[]): Promise<void> {
  const editor = window.activeTextEditor;
  const folder = editor && workspace.getWorkspaceFolder(editor.document.uri)?.uri.fsPath;
  const scratch = await mkdtemp(join(tmpdir(), "csl-"));
  try {
    const file = join(scratch, `page.${ending}`);
    const printed = await cslrun(args(file), folder ?? scratch);
    const page = await readFile(file, "utf8").catch(() => undefined);
    if (page === undefined) {
      void window.showErrorMessage(printed.trim() || "cslrun has written nothing");
      return;
    }
    const panel = window.createWebviewPanel("csl", title, ViewColumn.Beside, { enableScripts: true });
    panel.webview.html = page;
  } catch (error) {
    void window.showErrorMessage(`cslrun does not start: ${String(error)}; the setting csl.path names it`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function drawDsd(): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor) {
    const place = `${editor.document.fileName}:${editor.selection.active.line + 1}`;
    await show("DSD", "svg", (file) => ["dsd", place, "--svg", file]);
  }
}

async function report(): Promise<void> {
  const program = window.activeTextEditor?.document.fileName;
  if (program) {
    await show("Report", "html", (file) => [program, "--report", file]);
  }
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("csl.drawDsd", drawDsd),
    commands.registerCommand("csl.report", report),
    commands.registerCommand("csl.restart", restart),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
