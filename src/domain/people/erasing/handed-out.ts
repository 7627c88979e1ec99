import { isObject, personNodesOf, swapPersonal } from './person-nodes.ts'
import { isPersonsKind } from './personal-fields.ts'
import type { Person } from './resolution.ts'

/** The text in place of what is of others. */
const SOMEBODY_ELSE = '(somebody else)'

/** The text in place of JSON that cannot be walked: nobody can tell what in it is of others. */
const TOO_DEEP = '(nested too deep to tell whose it is)'

/** Fields that say who works in a store. */
const STAFF = new Set(['salesperson', 'personname', 'personid', 'employee', 'cashier'])

/**
 * JSON as it is handed to the person whom it speaks of: without what it says of others who stand there, and without parts of lists that are
 * others'. Free texts stay as they are. Pure.
 */
export function handedOut(kind: string, payload: unknown, isOfAnother: Person['isOfAnother']): unknown {
  try {
    const left = isPersonsKind(kind) ? payload : withoutPartsOfOthers(payload, isOfAnother)
    return swapPersonal(kind, withoutStaff(left), (value, { sort }, node) =>
      sort !== 'text' && isOfAnother(node) ? SOMEBODY_ELSE : value,
    )
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    throw error
  }
}

/** One of several sales is somebody else's where others stand in it, and nobody else. */
function withoutPartsOfOthers(value: unknown, isOfAnother: Person['isOfAnother']): unknown {
  const isOthers = (part: unknown) => {
    const nodes = personNodesOf('', part)
    return nodes.length > 0 && nodes.every(isOfAnother)
  }
  const without = (part: unknown) => withoutPartsOfOthers(part, isOfAnother)
  if (Array.isArray(value)) return value.map((part) => (isOthers(part) ? SOMEBODY_ELSE : without(part)))
  return mapFields(value, (_name, inner) => without(inner))
}

function withoutStaff(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStaff)
  return mapFields(value, (name, inner) =>
    STAFF.has(name.toLowerCase()) && inner ? SOMEBODY_ELSE : withoutStaff(inner),
  )
}

function mapFields(value: unknown, map: (name: string, inner: unknown) => unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(name, inner)]))
}
