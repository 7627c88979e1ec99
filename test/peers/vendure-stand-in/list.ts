import { argumentOf, type Input, numberOf } from './argument.ts'

/** As many as Vendure gives at most. */
const MAX = 1_000

/** What a list query asks for: those that its filter lets through, in its order, a page of them. */
export function listed<T extends object>(all: readonly T[], options: unknown): { items: T[]; totalItems: number } {
  const found = sortBy(filterBy(all, argumentOf(options, 'filter')), argumentOf(options, 'sort'))
  const skip = numberOf(options, 'skip')
  const take = numberOf(options, 'take') || MAX
  return { items: found.slice(skip, skip + take), totalItems: found.length }
}

export function filterBy<T extends object>(all: readonly T[], filter: Input): T[] {
  const wanted = Object.entries(filter)
  return all.filter((one) => wanted.every(([name, operators]) => isSo(fieldOf(one, name), Object(operators) as Input)))
}

function sortBy<T extends object>(all: T[], sort: Input): T[] {
  const keys = Object.entries(sort)
  return all.toSorted((one, other) => {
    for (const [name, direction] of keys) {
      const order = compare(fieldOf(one, name), fieldOf(other, name))
      if (order !== 0) return direction === 'DESC' ? -order : order
    }
    return 0
  })
}

function isSo(value: unknown, operators: Input): boolean {
  return Object.entries(operators).every(([operator, wanted]) => {
    if (operator === 'eq') return value === wanted
    if (operator === 'notEq') return value !== wanted
    if (operator === 'in') return Array.isArray(wanted) && wanted.includes(value)
    if (operator === 'isNull') return (value === null) === wanted
    return Date.parse(String(value)) > Date.parse(String(wanted))
  })
}

/** A custom field is filtered by as if it were one of the thing's own. */
function fieldOf(one: object, name: string): unknown {
  const own = one as Record<string, unknown>
  return name in own ? own[name] : (argumentOf(own, 'customFields')[name] ?? null)
}

function compare(one: unknown, other: unknown): number {
  const [a, b] = [Number(one), Number(other)]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b
  return String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0
}
