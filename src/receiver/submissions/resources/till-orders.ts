import { isMap } from '../../../config/reading/path.ts'
import { text } from '../../../domain/values/field.ts'
import { LISTED, type ReadLines } from '../body/read-body.ts'
import { begunAtTillFault, type EndlessAisle, type TillLink } from './endless-aisle.ts'
import type { Readable } from './resource.ts'

interface Options {
  system: string
  /** The destinations that orders of tills are created in. */
  shops: readonly string[]
}

/**
 * Refuses the sales of orders that began at a till, since the platform has them already: those that an event tells of by their
 * number, and those that the hub itself created in an online system for a till, which may submit them under a number of its own.
 * A system that orders are created in is asked by its own ids alone; of another one, any of them may have given it the number,
 * unless the sale says that it did not begin at a till.
 */
export async function withoutTillOrders(
  read: ReadLines,
  endlessAisle: EndlessAisle,
  { system, shops }: Options,
): Promise<ReadLines> {
  const isShop = shops.includes(system)
  const asked = read.lines.filter(({ beganOnline }) => isShop || !beganOnline)
  const told = await endlessAisle.among(read.lines.flatMap((line) => numberOf(line) ?? []))
  const till = await endlessAisle.knownAs(asked.flatMap(namesOf), isShop ? [system] : shops)
  if (told.size === 0 && till.size === 0) return read
  const left: ReadLines = { lines: [], refused: read.refused, faults: [...read.faults] }
  for (const line of read.lines) {
    const link = asked.includes(line) ? namesOf(line).flatMap((name) => till.get(name) ?? [])[0] : undefined
    const fault = told.has(numberOf(line) ?? '') ? TOLD : link && createdFault(link, isShop)
    if (fault === undefined) {
      left.lines.push(line)
      continue
    }
    left.refused += 1
    if (left.faults.length < LISTED) left.faults.push({ line: line.line, faults: [fault] })
  }
  left.faults.sort((a, b) => a.line - b.line)
  return left
}

const TOLD = begunAtTillFault('the hub has its OmniChannelEndlessAisleOrderCreated')

function createdFault({ number, destination }: TillLink, isShop: boolean): string {
  const wayOut = isShop ? '' : ', or say endlessAisle: false where it is another order'
  return begunAtTillFault(`the hub created it at ${destination} for ${number}`, wayOut)
}

function numberOf({ payload }: Readable): string | null {
  return isMap(payload) ? text(payload, 'orderNo') : null
}

/** The names of an order: its number, and its id where it has one besides. */
function namesOf(line: Readable): string[] {
  const { links = [] } = line
  return [numberOf(line), ...links.map(({ theirId }) => theirId)].flatMap((name) => name ?? [])
}
