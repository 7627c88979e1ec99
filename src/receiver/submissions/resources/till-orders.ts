import { isMap } from '../../../config/reading/path.ts'
import { text } from '../../../domain/values/field.ts'
import { LISTED, type ReadLines } from '../body/read-body.ts'
import type { EndlessAisle } from './endless-aisle.ts'
import type { Readable } from './resource.ts'

interface Options {
  system: string
  /** The destinations that orders of tills are created in. */
  shops: readonly string[]
}

/**
 * Refuses the sales of orders that the hub itself created in an online system for a till: the platform has their sale
 * already, and the online system may submit them under a number of its own. A system that orders are created in is asked by
 * its own ids alone; of another one, any of them may have given it the number, unless the sale says that it did not begin at
 * a till.
 */
export async function withoutTillOrders(
  read: ReadLines,
  endlessAisle: Pick<EndlessAisle, 'knownAs'>,
  { system, shops }: Options,
): Promise<ReadLines> {
  const isShop = shops.includes(system)
  const asked = read.lines.filter(({ beganOnline }) => isShop || !beganOnline)
  const till = await endlessAisle.knownAs(asked.flatMap(namesOf), isShop ? [system] : shops)
  if (till.size === 0) return read
  const left: ReadLines = { lines: [], refused: read.refused, faults: [...read.faults] }
  for (const line of read.lines) {
    const link = asked.includes(line) ? namesOf(line).flatMap((name) => till.get(name) ?? [])[0] : undefined
    if (link === undefined) {
      left.lines.push(line)
      continue
    }
    left.refused += 1
    const { number, destination } = link
    const wayOut = isShop ? '' : ', or say endlessAisle: false where it is another order'
    const fault = `orderNo: the order began at a till (the hub created it at ${destination} for ${number}), and the platform has its sale already: do not submit it${wayOut}`
    if (left.faults.length < LISTED) left.faults.push({ line: line.line, faults: [fault] })
  }
  left.faults.sort((a, b) => a.line - b.line)
  return left
}

/** The names of an order: its number, and its id where it has one besides. */
function namesOf({ payload, links = [] }: Readable): string[] {
  const number = isMap(payload) ? text(payload, 'orderNo') : null
  return [number, ...links.map(({ theirId }) => theirId)].flatMap((name) => name ?? [])
}
