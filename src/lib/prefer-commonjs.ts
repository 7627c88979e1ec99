import { registerHooks } from 'node:module'

/** Before the import of drizzle-orm: its ES modules take 0.9 s and 170 MB, CommonJS 0.2 s and 85 MB. */
export function preferCommonJs(name: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const ours = specifier === name || specifier.startsWith(`${name}/`)
      return next(specifier, ours ? { ...context, conditions: ['node', 'require', 'default'] } : context)
    },
  })
}
