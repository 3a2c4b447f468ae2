/** Few rules, all errors. The zones are the arrows of ARCHITECTURE.md. */
import importX from "eslint-plugin-import-x";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** What a folder may not import, with the reason a reader is told. */
const zone = (target, from, except = []) => ({
  target: `./${target}`,
  from: from.map((path) => `./${path}`),
  except,
  message: `${target} must not import from here; see the arrows in ARCHITECTURE.md.`,
});

const SERVER_ONLY = [
  "lib/store",
  "lib/runtime",
  "lib/demo",
  "lib/http",
  "lib/server.ts",
  "lib/env.ts",
];
const SCREENS = ["app", "components"];

/** Those that the scripts use; another one is to be looked at first. */
const NODE_GLOBALS = [
  "AbortSignal",
  "URL",
  "clearInterval",
  "clearTimeout",
  "fetch",
  "process",
  "setInterval",
  "setTimeout",
];

const wholeZod = {
  selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
  message: "Import * as z: the named one brings every locale with it.",
};

const clockless = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: "lib/core has no clock: take the time as a parameter.",
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: "lib/core has no clock: take the time as a parameter.",
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: "lib/core has no randomness: take it as a parameter.",
  },
  {
    selector: "CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]",
    message: "lib/core has no timers.",
  },
  {
    selector: "CallExpression[callee.property.name='randomUUID']",
    message: "lib/core has no randomness.",
  },
];

export default tseslint.config(
  {
    ignores: [
      "node_modules/",
      ".next*/",
      "drizzle/",
      "next-env.d.ts",
      "test-results/",
      "playwright-report/",
      "coverage/",
    ],
  },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "import-x": importX, "react-hooks": reactHooks },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/only-throw-error": ["error", { allowThrowingUnknown: true }],
      "no-console": "error",
      "no-restricted-properties": [
        "error",
        { object: "process", property: "env", message: "Only lib/env.ts reads the environment." },
      ],
      "no-restricted-syntax": ["error", wholeZod],
      "import-x/no-restricted-paths": [
        "error",
        {
          zones: [
            zone("lib/core", [...SCREENS, ...SERVER_ONLY, "lib/client", "lib/testing"]),
            zone("lib/store", [
              ...SCREENS,
              "lib/runtime",
              "lib/http",
              "lib/client",
              "lib/demo",
              "lib/server.ts",
            ]),
            zone("lib/runtime", [
              ...SCREENS,
              "lib/store",
              "lib/http",
              "lib/client",
              "lib/demo",
              "lib/server.ts",
            ]),
            zone("lib/http", [
              ...SCREENS,
              "lib/store",
              "lib/runtime",
              "lib/client",
              "lib/demo",
              "lib/server.ts",
            ]),
            zone("lib/client", [...SCREENS, ...SERVER_ONLY, "lib/testing"]),
            zone("lib/demo", [...SCREENS, "lib/store", "lib/http", "lib/client", "lib/server.ts"]),
            zone("components", [
              "app",
              "lib/store",
              "lib/runtime",
              "lib/http",
              "lib/server.ts",
              "lib/env.ts",
              "lib/testing",
            ]),
            zone("app", ["lib/store", "lib/testing"]),
          ],
        },
      ],
    },
  },
  {
    // Scripts have no compiler that would find these.
    files: ["**/*.mjs", "eslint.config.js"],
    languageOptions: {
      globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, "readonly"])),
    },
    rules: {
      "no-undef": "error",
      "no-unused-vars": "error",
      "prefer-const": "error",
      "no-var": "error",
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  {
    files: ["components/**", "app/**"],
    rules: { "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "error" },
  },
  { files: ["lib/core/**"], rules: { "no-restricted-syntax": ["error", wholeZod, ...clockless] } },
  {
    // Tests may import whatever they test with, and say what they found.
    files: [
      "**/*.test.{ts,tsx}",
      "lib/testing/**",
      "e2e/**",
      "bench/**",
      "*.config.ts",
      "instrumentation.ts",
      "lib/env.ts",
    ],
    rules: {
      "no-restricted-properties": "off",
      "import-x/no-restricted-paths": "off",
      "no-console": "off",
      "no-restricted-syntax": "off",
    },
  },
);
