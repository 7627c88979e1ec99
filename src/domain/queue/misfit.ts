import { UserError } from '../values/errors.ts'

/** Something that config says and that cannot be: seen only when everything is put together. */
export interface Misfit {
  /** Where it stands in config: names of keys, numbers of list items. */
  path: readonly (string | number)[]
  /** The finding, where the value itself does not tell it: names only, no secret. */
  found?: string
  /** The value that belongs there: completes "found …, expected …". */
  expected: string
  /** The value may fit all the same: the platform's stores, which tell, are not known here. */
  unsure?: true
}

/** The hub cannot be put together as config says. */
export class MisfitError extends UserError {
  override name = 'MisfitError'
  readonly misfits: readonly Misfit[]

  constructor(misfits: readonly Misfit[]) {
    super(misfits.map(misfitText).join('\n'))
    this.misfits = misfits
  }
}

/** A line about a misfit, for people who do not know the file. */
function misfitText({ path, found, expected }: Misfit): string {
  return `${path.join('.')}: ${found === undefined ? '' : `found ${found}, `}expected ${expected}`
}

/**
 * The faults of config that a UserError of a part tells. A message that begins with a key at or below `path` and a colon is about that
 * key; any other is about `path` itself.
 */
export function misfitsOf(error: UserError, path: Misfit['path']): readonly Misfit[] {
  if (error instanceof MisfitError) return error.misfits
  const [, key = '', said = ''] = /^([\w-]+(?:\.[\w-]+)*): (.*)$/s.exec(error.message) ?? []
  const isBelow = key === path.join('.') || key.startsWith(`${path.join('.')}.`)
  const about = isBelow ? { path: key.split('.'), says: said } : { path, says: error.message }
  return [{ path: about.path, expected: `a value that can be used: ${about.says.replace(/\.$/, '')}` }]
}
