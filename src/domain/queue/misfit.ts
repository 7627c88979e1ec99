import { UserError } from '../values/errors.ts'

/** A config issue found during composition. */
export interface Misfit {
  /** Keys and list indexes. */
  path: readonly (string | number)[]
  /** Names only, no secret; missing: the value says it. */
  found?: string
  /** Completes "found …, expected …". */
  expected: string
  /** The platform's stores, which decide, are unknown. */
  unsure?: true
}

export class MisfitError extends UserError {
  override name = 'MisfitError'
  readonly misfits: readonly Misfit[]

  constructor(misfits: readonly Misfit[]) {
    super(misfits.map(misfitText).join('\n'))
    this.misfits = misfits
  }
}

function misfitText({ path, found, expected }: Misfit): string {
  return `${path.join('.')}: ${found === undefined ? '' : `found ${found}, `}expected ${expected}`
}

/** Issues from a part's UserError: lines beginning with a key at or below `path` and a colon concern it, others `path`. */
export function misfitsOf(error: UserError, path: Misfit['path']): readonly Misfit[] {
  if (error instanceof MisfitError) return error.misfits
  const [, key = '', said = ''] = /^([\w-]+(?:\.[\w-]+)*): (.*)$/s.exec(error.message) ?? []
  const isBelow = key === path.join('.') || key.startsWith(`${path.join('.')}.`)
  const about = isBelow ? { path: key.split('.'), says: said } : { path, says: error.message }
  return [{ path: about.path, expected: `a value that can be used: ${about.says.replace(/\.$/, '')}` }]
}
