import { registerHooks } from 'node:module'

// For mutation tests: what tests and packages import of Tillbridge is the changed copy in which they stand, not the original
// that node_modules leads to.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier.startsWith('tillbridge/') ? { ...context, parentURL: import.meta.url } : context),
})
