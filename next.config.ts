import type { NextConfig } from "next";

const config: NextConfig = {
  // Its WebAssembly and data files are loaded from the package's own folder.
  serverExternalPackages: ["@electric-sql/pglite", "pino", "postgres"],
  distDir: process.env["NEXT_DIST_DIR"] ?? ".next",
  poweredByHeader: false,
  // Its redirect would answer before the Host is looked at.
  skipTrailingSlashRedirect: true,
  reactStrictMode: true,
};

export default config;
