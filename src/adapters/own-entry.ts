import { registerHooks } from 'node:module'

// Wherever an adapter lies, what it imports of Tillbridge is the Tillbridge that loads it: another copy would have other classes
// of errors. VS Code gives its extensions `vscode` in the same way.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier.startsWith('tillbridge/') ? { ...context, parentURL: import.meta.url } : context),
})
