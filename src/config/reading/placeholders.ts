import { definitionOf, type RootedSchema, schemasAt } from '../schema/schemas-at.ts'
import { literalSecrets } from '../url-text.ts'
import type { Env } from './env.ts'
import { isMap, type Path } from './path.ts'

const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}?/g
const ONLY_PLACEHOLDERS = /^(?:\$\{[^}]*\})+$/
const ONE_PLACEHOLDER = /^\$\{[^}]*\}$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export interface FillNotes {
  problem(path: Path, found: string, expected: string): void
  /** Marks a text as not to be shown. */
  hide(text: string): void
}

/**
 * Replaces `${NAME}` in texts after YAML parsing, so a value stays one text; `$${` is a literal `${`. A lone placeholder becomes a number
 * or boolean where the schemas want one. Secrets, also those in URLs, must come from the environment. A key without value counts as not
 * written.
 */
export function fillPlaceholders(root: unknown, env: Env, schemas: readonly RootedSchema[], notes: FillNotes): unknown {
  function fill(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index]))
    if (isMap(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, [...path, key])]))
    }
    if (value === null || value === undefined) return undefined
    const known = schemasAt(schemas, path)
    if (known.secret && !(typeof value === 'string' && ONLY_PLACEHOLDERS.test(value))) {
      notes.hide(String(value))
      notes.problem(path, '(secret)', `a secret from the environment: write \${SOME_NAME} and set that variable`)
      return value
    }
    if (typeof value !== 'string') return value
    const literal = literalSecrets(value)
    if (literal.length > 0) {
      for (const text of literal) notes.hide(text)
      notes.problem(
        path,
        'a URL with a secret in it',
        `the secret from the environment: write \${SOME_NAME} in its place, or for the whole`,
      )
      return value
    }
    const text = fillText(value, env, {
      problem: (found, expected) => notes.problem(path, found, expected),
      // Short non-secrets are likely words that messages use, such as `http`.
      hide: (text) => (known.secret || text.length >= 12 ? notes.hide(text) : undefined),
    })
    return ONE_PLACEHOLDER.test(value)
      ? asWanted(
          text,
          known.schemas.map((schema) => definitionOf(schema).type),
        )
      : text
  }
  return fill(root, [])
}

/** A placeholder that cannot be filled stays and is reported. */
export function fillText(
  text: string,
  env: Env,
  notes: { problem(found: string, expected: string): void; hide(text: string): void },
): string {
  return text.replace(PLACEHOLDER, (written: string, name: string | undefined) => {
    if (name === undefined) return '${'
    if (!NAME.test(name) || !written.endsWith('}')) {
      notes.problem(
        'a placeholder without such a name',
        `the name of an environment variable: \${NAME} (a plain \${ is written $\${)`,
      )
      return written
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined) {
      notes.problem(`\${${name}}`, `the environment variable ${name} to be set`)
      return written
    }
    notes.hide(value)
    return value
  })
}

function asWanted(text: string, types: readonly string[]): unknown {
  if (types.includes('string')) return text
  if (types.includes('number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
