import { json } from 'node:stream/consumers'
import { startTestHub } from '../../hub.ts'
import { listen } from '../../listen.ts'

export interface InCrm {
  city?: string
  mail?: boolean
  texts?: boolean
}

/** A CRM that keeps what it is told, at a hub that tells it of customers and of what they agreed to. */
export async function startWithCrm() {
  const kept = new Map<string, InCrm>()
  let down = false
  const server = await listen((request, response) => {
    void json(request).then((body) => {
      if (down) return void response.writeHead(503).end()
      const { id, ...said } = body as InCrm & { id: string }
      kept.set(id, { ...kept.get(id), ...said })
      response.end('{}')
    })
  })
  const url = server.url
  const customers = {
    upsert: { path: '/customers', body: '{ "id": customer.customerId, "city": customer.city }' },
    noteConsent: {
      path: '/consents',
      body: '{ "id": consent.customerId, "mail": consent.agreedSendEmail, "texts": consent.agreedSendSms }',
    },
  }
  const hub = await startTestHub({ destinations: { crm: { adapter: 'rest', url, customers } } })
  return {
    hub,
    of: (id: number): InCrm => kept.get(String(id)) ?? {},
    /** Whether it answers 503. */
    isDown(now: boolean) {
      down = now
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
