/*
 * A message that a person has sent once more is a delivery of its own, of the same event and flow: its part says which one it
 * repeats, so that it has a key of its own, and no rule of once keeps it back.
 */

const AGAIN = '~again-'

/** The part of the delivery that repeats that one; `times`: how often it was repeated before. */
export function partAgain({ part, id }: { part: string; id: number }, times: number): string {
  return `${partOf(part)}${AGAIN}${id}${times === 0 ? '' : `.${times}`}`
}

/** The part as the flow that planned it called it. */
export function partOf(part: string): string {
  const at = part.indexOf(AGAIN)
  return at < 0 ? part : part.slice(0, at)
}

/** Whether this part repeats another one. */
export function isAgain(part: string): boolean {
  return partOf(part) !== part
}

/** Whether this part repeats that delivery. */
export function repeats(part: string, id: number): boolean {
  const at = part.indexOf(AGAIN)
  return at >= 0 && part.slice(at + AGAIN.length).split('.')[0] === String(id)
}

/** The effect of a delivery that repeats another one: it is owed beside the first. */
export function effectAgain(effect: string, part: string): string {
  return `${effect}${part.slice(part.indexOf(AGAIN))}`
}

/** The key of what is repeated, of the key of a delivery that repeats it: a record has one name for ever. */
export function keyOfFirst(key: string): string {
  return key.replace(/:?~again-\d+(?:(?:\.|%2E)\d+)?/, '')
}
