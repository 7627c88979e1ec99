import { shownField } from './fields.ts'
import { nameOfStep, type ShadowCall } from './shadow-call.ts'

/** A call that two configs disagree on. */
export interface Difference extends Pick<ShadowCall, 'event' | 'kind' | 'destination' | 'flow' | 'part' | 'entity'> {
  /** Only the changed config makes it · only the present one does · both, not alike · neither, for another reason. */
  change: 'added' | 'removed' | 'changed' | 'not-made'
  /** The port and method of the call that is made; null: neither makes one. */
  method: string | null
  /** Why the other config makes none: it may not even want it. Null: both make one. */
  why: string | null
  /** The fields that differ, personal data masked. */
  fields: { path: string; before: string | null; after: string | null }[]
}

/** The fields of one call that are listed. */
const MOST_FIELDS = 20

/** The calls of one event that two configs disagree on, in the order of the changed one's calls, then what it leaves out. */
export function differencesOf(before: readonly ShadowCall[], after: readonly ShadowCall[]): Difference[] {
  const earlier = new Map(before.map((call) => [nameOfStep(call), call]))
  const names = new Set(after.map(nameOfStep))
  return [
    ...after.flatMap((call) => differenceOf(earlier.get(nameOfStep(call)) ?? null, call)),
    ...before.filter((call) => !names.has(nameOfStep(call))).flatMap((call) => differenceOf(call, null)),
  ]
}

function differenceOf(before: ShadowCall | null, after: ShadowCall | null): Difference[] {
  const made = { before: before?.method ?? null, after: after?.method ?? null }
  const call = made.after === null && made.before !== null ? before : (after ?? before)
  if (call === null) return []
  const { event, kind, destination, flow, part, entity, method } = call
  const head = { event, kind, destination, flow, part, entity, method }
  if (made.before === null && made.after === null) {
    const [was, is] = [before?.why ?? NOT_WANTED, after?.why ?? NOT_WANTED]
    // A step that is wanted and cannot be made does nothing, and is told where that is new, or for another reason.
    return was === is ? [] : [{ ...head, change: 'not-made', why: `${is} (before: ${was})`, fields: [] }]
  }
  if (made.before === null) return [{ ...head, change: 'added', why: before?.why ?? NOT_WANTED, fields: [] }]
  if (made.after === null) return [{ ...head, change: 'removed', why: after?.why ?? NOT_WANTED, fields: [] }]
  const fields = changedFields(
    { 'the method': made.before, ...before?.fields },
    { 'the method': made.after, ...after?.fields },
  )
  return fields.length === 0 ? [] : [{ ...head, change: 'changed', why: null, fields: fields.slice(0, MOST_FIELDS) }]
}

const NOT_WANTED = 'not wanted'

function changedFields(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return paths
    .filter((path) => before[path] !== after[path])
    .map((path) => ({ path, before: shown(path, before[path]), after: shown(path, after[path]) }))
}

function shown(path: string, value: string | undefined): string | null {
  return value === undefined ? null : shownField(path, value)
}
