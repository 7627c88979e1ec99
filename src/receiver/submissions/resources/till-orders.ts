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
 * unless the sale says that it did not begin at a till. A number alone says nothing where the till's order is known to have another id.
 */
export async function withoutTillOrders(
  read: ReadLines,
  endlessAisle: EndlessAisle,
  { system, shops }: Options,
): Promise<ReadLines> {
  const isShop = shops.includes(system)
  const asked = read.lines.filter(({ beganOnline }) => isShop || !beganOnline)
  const among = isShop ? [system] : shops
  const told = await endlessAisle.among(read.lines.flatMap((line) => numberOf(line) ?? []))
  const created = await endlessAisle.createdAs([...told], among)
  const till = await endlessAisle.knownAs(asked.flatMap(namesOf), among)
  if (told.size === 0 && till.size === 0) return read
  const left: ReadLines = { lines: [], refused: read.refused, faults: [...read.faults] }
  for (const line of read.lines) {
    const link = asked.includes(line) ? namesOf(line).flatMap((name) => till.get(name) ?? [])[0] : undefined
    const fault = isTold(line) ? TOLD : link && createdFault(link, isShop)
    if (fault === undefined) {
      left.lines.push(line)
      continue
    }
    left.refused += 1
    if (left.faults.length < LISTED) left.faults.push({ line: line.line, faults: [fault] })
  }
  left.faults.sort((a, b) => a.line - b.line)
  return left

  /** Another order of the same number is told apart by its id, where the system gives ids itself; else by its sender's word. */
  function isTold(line: Readable): boolean {
    const number = numberOf(line) ?? ''
    const ids = created.get(number)
    if (!told.has(number) || ids === undefined) return told.has(number)
    const isSaidToBeAnother = isShop ? (line.links ?? []).length > 0 : line.beganOnline === true
    return !isSaidToBeAnother || namesOf(line).some((name) => ids.has(name))
  }
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
