import { registerHooks } from 'node:module'

/**
 * Makes this thread load a package's CommonJS build. drizzle-orm's ES modules take 0.9 s and 170 MB to load, its
 * CommonJS build 0.2 s and 85 MB (docs/adr/0002-embedded-store.md). Call it before the package is imported.
 */
export function preferCommonJs(name: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const ours = specifier === name || specifier.startsWith(`${name}/`)
      return next(specifier, ours ? { ...context, conditions: ['node', 'require', 'default'] } : context)
    },
  })
}
