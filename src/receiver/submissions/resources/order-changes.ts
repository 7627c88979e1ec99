import type { RequestHandler, Response } from 'express'
import { ANY_ORDER, type ApiKey, mayDo } from '../../../domain/access/scope.ts'
import type { SubmittedCancellation, SubmittedOrder } from '../../../domain/catalogue/submitted.ts'
import type { Store } from '../../../store/store.ts'
import { apiKeyOf, makeOneWith } from '../../api-key.ts'
import { answerInvalid, answerKeyReused } from '../answers.ts'
import { RequestError, readDeleteKey, readPatchKey } from '../body/request.ts'
import type { WholeBodies } from '../body/whole-body.ts'
import { type KnownOrder, type KnownOrders, mayChange, movedFault, notKept } from '../known-orders.ts'
import type { Submission } from '../take.ts'
import { readChange } from './orders.ts'
import type { Readable, ReadingContext } from './resource.ts'

interface Options {
  known: KnownOrders
  store: Pick<Store, 'seen'>
  bodies: Pick<WholeBodies, 'json'>
  contextOf(response: Response): ReadingContext
  begin(response: Response, key: string): Submission
  finish(response: Response, submission: Submission): Promise<void>
}

/** `PUT` and `DELETE /v1/orders/{orderNo}`: what becomes of an order that was submitted before. */
export function createOrderChanges({ known, store, bodies, contextOf, begin, finish }: Options) {
  /** The whole order, in place of what was submitted. */
  const change: RequestHandler = async (request, response) => {
    const key = readPatchKey(request)
    const orderNo = numberIn(request.params)
    const context = contextOf(response)
    const body = await bodies.json(request, response)
    if (body === undefined) return
    const reading = readChange(orderNo, body, context)
    if ('faults' in reading) return answerInvalid(response, [{ line: 1, ...reading }], 1)
    const before = await orderOf(orderNo, response)
    // Sent again after it was taken: the order may have been cancelled since.
    if (before.cancelled && !(await wasTaken(response, key))) throw cancelledBefore(orderNo)
    const moved = movedFault(reading.payload as SubmittedOrder, latestOf(orderNo, before))
    if (moved !== null) return answerInvalid(response, [{ line: 1, faults: [moved] }], 1)
    await take(response, key, reading)
  }

  const cancel: RequestHandler = async (request, response) => {
    const key = readDeleteKey(request)
    const orderNo = numberIn(request.params)
    const { storeId, stockId } = latestOf(orderNo, await orderOf(orderNo, response))
    const payload: SubmittedCancellation = { orderNo, storeId, stockId }
    await take(response, key, { kind: 'OrderCancelSubmitted', payload })
  }

  return { change, cancel }

  /** The order, for a key that may change it; other keys learn nothing. */
  async function orderOf(orderNo: string, response: Response): Promise<KnownOrder> {
    const found = await known.find(orderNo)
    if (found === null) throw noSuchOrder()
    const key = apiKeyOf(response)
    if (!mayChange(found, key.system, { any: mayDo(key, ANY_ORDER) })) throw ofAnother(orderNo, key)
    return found
  }

  async function wasTaken(response: Response, key: string): Promise<boolean> {
    const transportKey = `orders/${key}/1`
    return (await store.seen(apiKeyOf(response).system, [transportKey])).has(transportKey)
  }

  async function take(response: Response, key: string, readable: Readable): Promise<void> {
    const submission = begin(response, key)
    if (await submission.take([{ line: 1, ...readable }])) await finish(response, submission)
    else answerKeyReused(response, submission.tally)
  }
}

function numberIn(params: object): string {
  return (params as { orderNo?: string }).orderNo?.trim() ?? ''
}

function latestOf(orderNo: string, { latest }: KnownOrder): SubmittedOrder {
  if (latest !== null) return latest
  throw new RequestError({
    status: 409,
    code: 'order-not-kept',
    title: 'The order is not kept any more',
    detail: `Nothing is changed: ${notKept(orderNo)}.`,
  })
}

function noSuchOrder(): RequestError {
  return new RequestError({
    status: 404,
    code: 'no-such-order',
    title: 'No such order',
    detail: 'No order of this number was submitted: POST it to /v1/orders first.',
  })
}

function ofAnother(orderNo: string, key: ApiKey): RequestError {
  return new RequestError({
    status: 403,
    code: 'order-of-another',
    title: 'The order of another system',
    detail:
      `Order ${orderNo} was submitted by another system than ${key.system}, and is changed and cancelled by that one, or ` +
      `with the scope ${ANY_ORDER}. ${makeOneWith(key, ANY_ORDER)}`,
  })
}

function cancelledBefore(orderNo: string): RequestError {
  return new RequestError({
    status: 409,
    code: 'order-cancelled',
    title: 'The order was cancelled',
    detail: `Order ${orderNo} was cancelled, and cannot be changed any more. Submit it anew under another number.`,
  })
}
