import { MisfitError } from '../../domain/queue/misfit.ts'
import { type ExpressionFault, evaluate, isNoFunction, syntaxFault } from '../../lib/jsonata.ts'

/** Makes the answer of a list of things, or of one thing. Throws a TemplateError. */
export type Template<Found> = (found: Found) => unknown

/** A template could not be carried out. JSONata's own words show what it stumbled over: they stay inside. */
class TemplateError extends Error {
  override name = 'TemplateError'
}

/** The answer of one thing; `key` is where it stands in config. Throws a MisfitError where it cannot be read. */
export function createTemplate<Found>(text: string, key: string, name: string): Template<Found> {
  const fault = syntaxFault(text) ?? missingFunction(text, name)
  if (fault) throw unreadable(key, fault)
  return (found) => {
    const result = evaluate(text, { [name]: found })
    if ('fault' in result) throw failed(key, result.fault)
    return result.value ?? null
  }
}

/**
 * The answer of a list. JSONata writes a list of one as that one, and an empty one as nothing: where a template makes a list
 * of two `samples`, it makes a list of any number. Throws a MisfitError where it cannot be read.
 */
export function createListTemplate<Item>(
  text: string,
  key: string,
  samples: readonly Item[],
): Template<readonly Item[]> {
  const make = createTemplate<readonly Item[]>(text, key, 'customers')
  const isList = makesList(() => make(samples))
  return (customers) => {
    const made = make(customers)
    if (!isList || Array.isArray(made)) return made
    return made === null ? [] : [made]
  }
}

function makesList(make: () => unknown): boolean {
  try {
    return Array.isArray(make())
  } catch {
    return false
  }
}

/** A fault that is only seen when it is carried out: over nothing, it calls a function that there is not. */
function missingFunction(text: string, name: string): ExpressionFault | null {
  const tried = evaluate(text, { [name]: null })
  return 'fault' in tried && isNoFunction(tried.fault) ? tried.fault : null
}

function unreadable(key: string, { code, message, position }: ExpressionFault): MisfitError {
  return new MisfitError([{ path: key.split('.'), expected: `JSONata${placeOf(position)} (${code}: ${message})` }])
}

function failed(key: string, { code, position }: ExpressionFault): TemplateError {
  return new TemplateError(`${key} failed: ${code}${placeOf(position)}`)
}

function placeOf(position: number | null): string {
  return position === null ? '' : ` at character ${position}`
}
