/** Finds a Chromium for the tests, or installs one, and says which. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runCommand } from "./run-command.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Resolves with the browser's path (empty when there is none to be had) and what was done. */
export async function findBrowser() {
  const present = onPath() ?? (await ofPlaywright());
  if (present) return { path: present, what: `using ${present}` };
  if (process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    await runCommand("apt-get", ["update", "-qq"]);
    await runCommand("apt-get", ["install", "-y", "-qq", "chromium"], {
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
    const installed = onPath();
    if (installed) return { path: installed, what: `installed ${installed} with apt-get` };
  }
  await runCommand("npx", ["playwright", "install", "chromium"]);
  const downloaded = await ofPlaywright();
  return {
    path: downloaded ?? "",
    what: downloaded ? `downloaded ${downloaded}` : "no Chromium could be found or installed",
  };
}

function onPath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

async function ofPlaywright() {
  const { chromium } = await import("@playwright/test");
  const path = chromium.executablePath();
  return path && existsSync(path) ? path : undefined;
}
