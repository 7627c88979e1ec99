import { registerHooks } from 'node:module'

// Wherever an adapter lies, what it imports of Tillbridge is the Tillbridge that loads it: another copy would have other classes
// of errors. VS Code gives its extensions `vscode` in the same way. Of zod, which options are made with, it may have its own.
registerHooks({
  resolve(specifier, context, next) {
    const ours = { ...context, parentURL: import.meta.url }
    if (specifier.startsWith('tillbridge/')) return next(specifier, ours)
    if (specifier !== 'zod') return next(specifier, context)
    try {
      return next(specifier, context)
    } catch {
      return next(specifier, ours)
    }
  },
})
