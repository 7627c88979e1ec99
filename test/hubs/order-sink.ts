import { listen } from '../listen.ts'

/** A receiver that knows a call again by its key, as the promise for keyed destinations asks of it. */
export interface OrderSink extends AsyncDisposable {
  url: string
  /** What came of each order, once each, in the order that it came in. */
  orders: Map<string, number[]>
  /** Answers nothing until `letGo`; what came had its effect. */
  hold(): void
  letGo(): void
}

/** Counts what comes about orders, whose updates are numbered in their `id`. */
export async function startOrderSink(): Promise<OrderSink> {
  const orders = new Map<string, number[]>()
  const seen = new Set<string>()
  let answers: (() => void)[] = []
  let holds = false
  const server = await listen((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const key = String(request.headers['webhook-id'])
      const { order } = JSON.parse(Buffer.concat(chunks).toString()) as { order: { orderNo: string; id: number } }
      if (!seen.has(key)) orders.set(order.orderNo, [...(orders.get(order.orderNo) ?? []), order.id])
      seen.add(key)
      if (holds) answers.push(() => response.end())
      else response.end()
    })
  })
  return {
    url: `${server.url}/`,
    orders,
    hold() {
      holds = true
    },
    letGo() {
      holds = false
      for (const answer of answers) answer()
      answers = []
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
