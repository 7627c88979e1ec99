import { registerHooks } from 'node:module'

/**
 * Loads a package's CommonJS build: drizzle-orm's ES modules take 0.9 s and 170 MB, CommonJS 0.2 s and 85 MB
 * (docs/adr/0002-embedded-store.md). Call before its import.
 */
export function preferCommonJs(name: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const ours = specifier === name || specifier.startsWith(`${name}/`)
      return next(specifier, ours ? { ...context, conditions: ['node', 'require', 'default'] } : context)
    },
  })
}
