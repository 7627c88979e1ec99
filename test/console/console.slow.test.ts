import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import type { OrderStory } from '../../src/admin/orders.ts'
import { ROUTES } from '../../src/console/routes.ts'
import { TEXTS } from '../../src/console/texts/texts.ts'
import { ROLES } from '../../src/domain/role.ts'
import { eventually } from '../eventually.ts'
import {
  customer,
  endlessAisle,
  pulledSettlement,
  receipt,
  refundUpdate,
  sale,
  shippedOrderUpdate,
} from '../fixtures/payloads.ts'
import { ACCOUNTS } from '../flows/accounting/books-given.ts'
import { openCounter, order, sale as shopSale } from '../http/submissions/given.ts'
import { ADMIN_TOKEN, busTo, shareHub, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'
import { createVisitor, PASSWORD, signIn } from './visitor.ts'

/** Someone whose name, address and number nobody else has. */
const CANARY = {
  first: 'Canarina',
  last: 'Fuglesang',
  email: 'canary@example.com',
  phone: '+4790087654',
  street: 'Kanariveien 7',
}
const AISLE = 'OmniChannelEndlessAisleOrderCreated'
const UPDATED = 'OmniChannelOrderUpdated'
const RETURNED = 'OmniChannelOrderRefundUpdated'
const BUS_SECRET = `whsec_${Buffer.from('secret-of-the-bus-nobody-sees-it').toString('base64')}`
const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>\u202etxt"'&`

/** The one that keeps a page live. */
function withoutOwnScript(text: string): string {
  return text.replace(/<script src="\/console\/live-[0-9a-f]{12}\.js" defer><\/script>/, '')
}

/** A refused delivery, an unrouted event with hostile words, and events of the canary. */
async function startTroubled() {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  const faults = {
    errors: [{ field: 'receiptNo', message: `${HOSTILE} ${CANARY.email} ${CANARY.first} ${CANARY.last}` }],
  }
  sink.play((_, nth) => (nth === 0 ? { status: 200 } : { status: 400, body: JSON.stringify(faults) }))
  const hub = opened.use(
    await startTestHub({
      destinations: {
        bus: busTo(sink.url, { secret: BUS_SECRET, publish: ['SaleCreated', 'CustomerUpdated', 'SendReceipt'] }),
      },
    }),
  )
  // What is taken shows that what is refused is refused alone.
  await hub.post('SaleCreated', sale({ receiptNo: 1000 }))
  await sink.until(1)
  await hub.post('SaleCreated', sale({ receiptNo: 1001, comment: HOSTILE }))
  await hub.post(
    'CustomerUpdated',
    customer({
      email: CANARY.email,
      firstName: CANARY.first,
      lastName: CANARY.last,
      phone: '90087654',
      address1: CANARY.street,
      city: HOSTILE,
    }),
  )
  await hub.post('SendReceipt', receipt({ recipient: CANARY.email, recipientName: `${CANARY.first} ${CANARY.last}` }))
  await hub.post('StockMovementCreated', { odd: HOSTILE })
  await eventually(async () => {
    const { body } = await hub.admin<{ deliveries: { state: string }[] }>('deliveries?state=dead')
    expect(body.deliveries.length).toBeGreaterThanOrEqual(3)
  }, 20_000)
  const scope = opened.move()
  return { hub, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

/** Each page that a role may see, and pages of what was found there. */
const PAGES = [
  '/',
  '/failures',
  '/destinations',
  '/events',
  '/deliveries',
  '/events/1',
  '/events/2',
  '/events/3',
  '/events/4',
  '/events/5',
  '/deliveries/1',
  '/deliveries/2',
  '/deliveries/3',
  '/deliveries/4',
  '/search?q=canary%40example.com',
  '/search?q=1001',
  '/submissions',
  '/acts',
  '/stores',
  '/completeness',
  '/gaps',
  '/settlements',
  '/stock',
  '/products',
  '/jobs',
  '/jobs/alarms',
]

/** Those that a viewer may not see. */
const OTHERS = ['/files', '/subscriptions', '/config', '/people', '/keys', '/users', '/audit', '/audit/1']

const theHub = shareHub({ destinations: { bus: busTo('http://127.0.0.1:9/', { publish: ['SaleCreated'] }) } })

describe('who may do what', () => {
  test.each(ROLES)('When a %s asks for each route, then the table decides', async (role) => {
    const hub = theHub()
    const visitor = await signIn(hub, role)
    await visitor.get('/')
    for (const { method, path, roles } of ROUTES) {
      const filled = path.replace(':name', 'no-such-name').replace(/:\w+/, '999')
      const page = await (method === 'GET' ? visitor.get(filled) : visitor.post(filled))
      const isRefused = page.status === 403
      expect(isRefused, `${role} ${method} ${path}: ${page.status}`).toBe(!roles.includes(role))
      expect(page.status, `${role} ${method} ${path}`).toBeLessThan(500)
    }
  })

  test('When nobody is signed in, then each route leads to the sign-in', async () => {
    const visitor = createVisitor(theHub())
    for (const { method, path } of ROUTES) {
      const page = await (method === 'GET' ? visitor.get(path) : visitor.post(path))
      expect(page.to, `${method} ${path}`).toMatch(/^\/console\/sign-in/)
    }
  })

  test.each([
    ['another site says so', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling says so', { 'sec-fetch-site': 'same-site' }],
    ['it comes from another origin', { 'sec-fetch-site': '', origin: 'http://evil.example' }],
  ])('When a form is sent and %s, then it is refused, with a right token too', async (_, headers) => {
    const hub = theHub()
    const visitor = await signIn(hub, 'admin', `admin-${Object.values(headers).join('-').replaceAll(/\W/g, '')}`)
    await visitor.get('/destinations')
    const page = await visitor.post('/destinations/bus/pause', {}, headers)
    expect(page.status).toBe(403)
    expect((await visitor.get('/destinations')).text).not.toContain('aused by')
  })

  test('When the token is missing or of another session, then the form is refused', async () => {
    const hub = theHub()
    const visitor = await signIn(hub, 'admin', 'with-wrong-token')
    await visitor.get('/destinations')
    for (const token of ['', 'x'.repeat(43)])
      expect((await visitor.post('/destinations/bus/pause', { token })).status).toBe(403)
    expect((await visitor.post('/destinations/bus/pause', { back: '/destinations' })).to).toMatch(
      /^\/console\/destinations\?done=\d+$/,
    )
    expect((await visitor.get('/destinations')).text).toContain('Paused by with-wrong-token')
  })
})

test('When a canary person and secrets are stored, then no page of a viewer shows them, and each is under 100 KB', async () => {
  await using troubled = await startTroubled()
  const { hub } = troubled
  const viewer = await signIn(hub, 'viewer')
  for (const path of PAGES) {
    const { status, text } = await viewer.get(path)
    expect(status, path).toBe(200)
    expect(Buffer.byteLength(text), path).toBeLessThan(100_000)
    for (const secret of [ADMIN_TOKEN, WEBHOOK_TOKEN, BUS_SECRET, PASSWORD]) expect(text, path).not.toContain(secret)
    const own = withoutOwnScript(text)
    const searched = path.startsWith('/search') ? text.replaceAll('canary@example.com', '') : text
    for (const part of Object.values(CANARY)) expect(searched.includes(part), `${part} on ${path}`).toBe(false)
    expect(searched, path).not.toContain('90087654')
    expect(own, path).not.toMatch(/<script|<img/i)
  }
})

test('When support looks at personal data, then it is shown, and the audit has that they looked', async () => {
  await using troubled = await startTroubled()
  const { hub } = troubled
  const support = await signIn(hub, 'support')
  await support.get('/events/3')
  expect((await support.post('/events/3/reveal')).text).toContain(CANARY.street)
  expect((await support.post('/deliveries/3/reveal')).status).toBe(200)
  expect((await support.post('/search/reveal', { q: CANARY.email })).status).toBe(200)
  const { acts } = (await hub.admin<{ acts: object[] }>('audit?action=reveal')).body
  expect(acts).toMatchObject(Array(3).fill({ by: 'support', role: 'support', address: '127.0.0.1' }))
})

test('When something is hostile, then it is text on each page', async () => {
  await using troubled = await startTroubled()
  const operator = await signIn(troubled.hub, 'admin')
  const shown = await Promise.all([...PAGES, ...OTHERS].map((path) => operator.get(path)))
  for (const { text } of shown) expect(withoutOwnScript(text)).not.toMatch(/<script|<img/i)
  expect(shown.some(({ text }) => text.includes('&lt;script&gt;'))).toBe(true)
  expect((await operator.get(`/search?q=${encodeURIComponent(HOSTILE)}`)).text).not.toMatch(/<script|<img/i)
  const entity = await operator.get(`/deliveries?entity=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(entity.text).not.toMatch(/<script/i)
})

describe('acts', () => {
  test('When a group is skipped, then its count and its oldest are shown first, a reason is asked, and the audit has who', async () => {
    await using troubled = await startTroubled()
    const { hub } = troubled
    const operator = await signIn(hub, 'operator', 'kari')
    const page = await operator.get('/failures')
    expect(page.text).toContain('3 deliveries')
    const filter = { destination: 'bus', state: 'dead', back: '/failures' }
    const preview = await operator.post('/acts/skip', filter)
    expect(preview.text).toContain('3 deliveries')
    expect(preview.text).toMatch(/Oldest<\/dt><dd><a href="\/console\/deliveries\/2">2<\/a>/)
    const until = /name="until" value="([^"]+)"/.exec(preview.text)?.[1] ?? ''
    const sure = { ...filter, until, step: 'do' }
    expect((await operator.post('/acts/skip', sure)).status).toBe(400)
    const done = await operator.post('/acts/skip', { ...sure, reason: 'a test' })
    expect(done.to).toMatch(/^\/console\/failures\?done=\d+$/)
    expect((await operator.get(done.to?.replace('/console', '') ?? '')).text).toContain('Done: skip, 3 changed')
    expect((await hub.admin<{ acts: object[] }>('audit?action=skip')).body.acts).toMatchObject([
      { by: 'kari', role: 'operator', address: '127.0.0.1', reason: 'a test', changed: 3 },
      { by: 'kari', refused: expect.stringContaining('reason') },
    ])
  })

  test('When one delivery is retried, then it goes again at once', async () => {
    await using troubled = await startTroubled()
    const support = await signIn(troubled.hub, 'support')
    await support.get('/deliveries/2')
    expect((await support.post('/acts/retry', { id: '2', back: '/deliveries/2' })).to).toMatch(
      /^\/console\/deliveries\/2\?done=/,
    )
    await eventually(async () => {
      const { body } = await troubled.hub.admin<{ attempts: object[] }>('deliveries/2')
      expect(body.attempts).toHaveLength(2)
    })
  })

  test('When a form names nothing, then nothing is done', async () => {
    await using troubled = await startTroubled()
    const operator = await signIn(troubled.hub, 'operator')
    await operator.get('/')
    expect((await operator.post('/acts/skip', { step: 'do', reason: 'all of it' })).status).toBe(400)
    expect((await operator.get('/failures')).text).toContain('3 deliveries')
  })
})

test('When the console is switched off, then it is not there', async () => {
  await using hub = await startTestHub({ config: { console: { enabled: false } } })
  expect(await createVisitor(hub).get('/sign-in')).toMatchObject({ status: 404 })
})

test.each([
  ['nb-NO,nb;q=0.9', 'Logg inn'],
  ['sv', 'Logga in'],
  ['da-DK', 'Log ind'],
  ['fr', 'Sign in'],
])('When a browser asks for %s, then the page is in it', async (accepted, words) => {
  const answer = await request(`${theHub().url}/console/sign-in`, { headers: { 'accept-language': accepted } })
  expect(await answer.body.text()).toContain(`<h1>${words}</h1>`)
})

test('When somebody reads in Norwegian, then outages, jobs and arrivals are in it, also before anything is usual', async () => {
  const config = { jobs: { inactivity: '0 0 1 1 *' } }
  const away = `http://127.0.0.1:${await freePort()}`
  await using hub = await startTestHub({ config, destinations: { bus: busTo(away) } })
  await hub.post('SaleCreated', sale())
  const viewer = await signIn(hub, 'viewer')
  const read = async (path: string) => (await viewer.get(path, { 'accept-language': 'nb' })).text
  await eventually(async () =>
    expect(await read('/')).toMatch(/<p>(Nede|Det siste kallet .*): den er ikke å nå \(unreachable: /),
  )
  expect(await read('/')).toContain(
    'Ikke talt ennå; jobben som teller, har ikke kjørt: <a href="/console/jobs/inactivity">',
  )
  expect(await read('/destinations')).toContain('Se om den kjører, og om navn, nettverk og brannmur')
  expect(await read('/deliveries/1')).toContain('data-head="Utfall">mislyktes, prøves igjen</td>')
  expect(await read('/jobs')).toContain('>Stille butikker</a> <code class="quiet">inactivity</code>')
  await hub.admin('jobs/inactivity/run', {})
  expect(await read('/')).toContain('1 på 24 timer; det finnes ikke noe vanlig for disse timene ennå')
}, 30_000)

test('When an order is read in another language, then its timeline has no English but notes of attempts', async () => {
  const away = `http://127.0.0.1:${await freePort()}`
  const shop = { adapter: 'woocommerce', url: away, consumerKey: 'ck_of_the_tests', consumerSecret: 'cs_of_the_tests' }
  const bus = busTo(away, { publish: [UPDATED, RETURNED, AISLE] })
  await using counter = await openCounter({
    destinations: { shop, bus },
    config: { lookups: { orders: { tokens: ['token-of-the-pos'] } } },
  })
  const { hub, submit } = counter
  const orderLines = [
    { quantity: 2, gtin: '7090012340011', rowId: '1', status: 'Picked' },
    { quantity: 1, gtin: null, rowId: '2', status: 'Declined' },
  ]
  await submit('orders', order('EA-77'))
  await submit('sales', shopSale('EA-77'))
  await hub.post(AISLE, endlessAisle({ total: 150 }))
  await hub.post(UPDATED, shippedOrderUpdate({ orderNo: 'EA-77', orderLines }))
  for (const isRefunded of [false, true])
    await hub.post(RETURNED, refundUpdate({ orderNo: 'EA-77', isRefunded, id: `r-${isRefunded}` }))
  const asked = { headers: { authorization: 'Bearer token-of-the-pos' } }
  await hub.ask('/api/orders/search?query=EA-77', asked)
  const story = async () => (await hub.admin<OrderStory>('orders/EA-77')).body
  await eventually(async () => {
    const said = (await story()).timeline.map(({ what }) => what).join()
    for (const one of ['the POS looked it up', 'order to platform: delivered', 'bus: retry'])
      expect(said).toContain(one)
  })
  await hub.admin('deliveries/skip', { filter: { destination: 'bus' }, reason: 'for kari@example.com' })

  const viewer = await signIn(hub, 'viewer')
  const read = async (language: string) => {
    const { text } = await viewer.get('/orders/EA-77', { 'accept-language': language })
    const [, timeline = ''] = /<ol class="timeline">(.*?)<\/ol>/s.exec(text) ?? []
    return timeline.replaceAll('&quot;', '"').replaceAll('&#39;', "'")
  }
  expect(await read('en')).toContain(
    'contradict each other: lines of 349.00 NOK, a total of 150.00 NOK, payments of 349.00 NOK.</p>',
  )
  const norwegian = await read('nb')
  const lines = [
    '>OrderSubmitted av erp (innsending 1): skal hentes, skal betales i butikken, 1 linje<',
    '>submit-order til platform: levert, ',
    '>SaleSubmitted av erp (innsending 2): et salg på 799, 1 linje, ',
    ': 150 NOK, 1 linje, i Oslo City, Kassens summer motsier hverandre: linjer på 349.00 NOK, en total på 150.00 NOK, ',
    ': Picked, 2 × 7090012340011 Picked; 1 × rad 2 Declined, 1 pakke, i Oslo City<',
    ': Returned, 1 × 7090012340011, nettbutikken må gi pengene tilbake, i Oslo City<',
    ': Returned, 1 × 7090012340011, kassen ga pengene tilbake, i Oslo City<',
    '>kassen slo den opp: ikke funnet; fikk ikke svar fra shop (',
    '>publish til bus: mislyktes, prøves igjen (unreachable), ',
    '>publish til bus: hoppet over av admin (én av ',
    '), for k…@example.com<',
  ]
  expect(lines.filter((line) => !norwegian.includes(line))).toEqual([])

  const english = Object.entries(TEXTS.en).filter(([key]) => /^(story|did|outcome)\./.test(key))
  const templates = english.flatMap(([, text]) => text.split(/\||\{\w+\}|[();:.,]/)).map((text) => text.trim())
  const words = new RegExp(`(?<=[ >(])(${templates.filter(Boolean).join('|')})(?=[ ,;:.)<])`, 'g')
  expect((await read('en')).match(words)?.length).toBeGreaterThan(30)
  for (const language of ['nb', 'sv', 'da']) {
    const page = await read(language)
    const attempts = (await hub.hub.storage.order('EA-77')).deliveries.flatMap((one) => one.attempts)
    const own = attempts.reduce((text, { note }) => text.replaceAll(note ?? '', ''), page)
    expect(own.match(words) ?? [], language).toEqual([])
  }
}, 30_000)

describe('what changes by itself', () => {
  test('When a page is live, then its content comes again when it has changed, and its session is not kept alive by that', async () => {
    const hub = theHub()
    const visitor = await signIn(hub, 'operator', 'watcher')
    const page = await visitor.get('/destinations')
    expect(page.text).toContain('data-live="/console/live/destinations"')
    const stream = await request(`${hub.url}/console/live/destinations`, { headers: { cookie: visitor.cookie() } })
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    const chunks = stream.body[Symbol.asyncIterator]()
    const next = async () => String((await chunks.next()).value)
    expect(await next()).toMatch(/^event: page\ndata: ".*bus/)
    await visitor.post('/destinations/bus/pause', { back: '/destinations' })
    let said = await next()
    while (said.startsWith('event: same')) said = await next()
    expect(said).toContain('Paused by watcher')
    await visitor.post('/destinations/bus/resume', { back: '/destinations' })
    await chunks.return?.()
  }, 30_000)

  test('When nobody is signed in, then nothing is sent', async () => {
    const stream = await request(`${theHub().url}/console/live/today`)
    await stream.body.dump()
    expect(stream.statusCode).toBe(401)
  })
})

test('When a delivery is no message, then it is not sent again', async () => {
  await using troubled = await startTroubled()
  const support = await signIn(troubled.hub, 'support')
  await support.get('/deliveries/4')
  expect((await support.post('/deliveries/4/send-again', { reason: 'the customer asked' })).status).toBe(400)
})

describe('keys and users', () => {
  test('When an admin adds a user and a key, then the secret is shown once, and the user may sign in', async () => {
    const hub = theHub()
    const admin = await signIn(hub, 'admin', 'ruler')
    await admin.get('/users')
    const added = await admin.post('/users', { name: 'new-one', role: 'viewer' })
    const [, password = ''] = /<pre>([\w-]{19})<\/pre>/.exec(added.text) ?? []
    expect((await createVisitor(hub).post('/sign-in', { name: 'new-one', password })).status).toBe(303)
    const made = await admin.post('/keys', { system: 'erp', 'may:products': 'yes', 'may:read:stock': 'yes' })
    const [key = ''] = /tb_[0-9a-f]{16}_[\w-]{43}/.exec(made.text) ?? []
    expect(key).not.toBe('')
    const list = await admin.get('/keys')
    expect(list.text).toContain('products, read:stock')
    expect(list.text).not.toContain(key)
    expect((await admin.post(`/keys/${key.split('_')[1]}/revoke`, { back: '/keys' })).to).toMatch(
      /^\/console\/keys\?done=/,
    )
    expect((await admin.post('/users/new-one/disable', { back: '/users' })).to).toMatch(/^\/console\/users\?done=/)
    expect((await createVisitor(hub).post('/sign-in', { name: 'new-one', password })).status).toBe(401)
  })
})

describe('data subjects', () => {
  test('When a person is found, exported and erased, then support sees no name, and the erasure gives a proof', async () => {
    await using troubled = await startTroubled()
    const { hub } = troubled
    const [support, admin] = [await signIn(hub, 'support'), await signIn(hub, 'admin')]
    await support.get('/people')
    const found = await support.post('/people/find', { who: CANARY.email })
    expect(found.text).toContain('What is here of this person')
    for (const part of [CANARY.first, CANARY.last, CANARY.street]) expect(found.text).not.toContain(part)
    expect(found.text).not.toContain('Erase')
    await admin.get('/people')
    expect((await admin.post('/people/export', { who: CANARY.email })).status).toBe(400)
    const exported = await admin.post('/people/export', { who: CANARY.email, reason: 'asked for it' })
    expect(exported.headers['content-disposition']).toBe('attachment; filename=data-subject.json')
    expect(exported.text).toContain(CANARY.street)
    await admin.get('/people')
    const how = { who: CANARY.email, reason: 'asked for it', skipOpen: 'yes' }
    expect((await admin.post('/people/erase', how)).text).toContain('Nothing is erased yet.')
    expect((await admin.get('/events/3')).status).toBe(200)
    const erased = await admin.post('/people/erase', { ...how, step: 'do' })
    expect(erased.text).toContain('tillbridge-erasure-1')
    expect((await admin.post('/events/3/reveal')).text).not.toContain(CANARY.street)
  }, 60_000)
})

describe('settlements', () => {
  test('When a settlement does not balance, then finance sees its journal, releases it with a reason, and nothing else', async () => {
    using erp = temporaryFolder()
    await using hub = await startTestHub({
      destinations: {
        bus: busTo('http://127.0.0.1:9/', { publish: ['SaleCreated'] }),
        erp: {
          adapter: 'files',
          folder: erp.path,
          write: { settlement: { name: 'z-{key}', format: 'json' } },
          accounts: ACCOUNTS,
        },
      },
    })
    await hub.admin('destinations/bus/pause', {})
    await hub.post('SaleCreated', sale())
    await hub.post('POSSettlementCreated', pulledSettlement({ PaymentTypes: [{ Type: 'Card', Amount: 18_000 }] }))
    const held = async () =>
      (await hub.admin<{ deliveries: { id: number }[] }>('deliveries?state=held')).body.deliveries
    await eventually(async () => expect(await held()).toHaveLength(1))
    const [{ id } = { id: 0 }] = await held()
    const finance = await signIn(hub, 'finance')
    expect((await finance.get('/settlements')).text).toContain('does not balance')
    const { text } = await finance.get(`/settlements/${id}`)
    expect(text).toContain('credit is')
    expect(text).toMatch(/1900.*Card.*18,000\.00 NOK/s)
    const back = `/settlements/${id}`
    expect((await finance.post(`/settlements/${id}/release`, { back })).status).toBe(400)
    const [waiting] = (await hub.admin<{ deliveries: { id: number }[] }>('deliveries?destination=bus')).body.deliveries
    expect((await finance.get(`/settlements/${waiting?.id}`)).status).toBe(404)
    expect((await finance.post(`/deliveries/${id}/reveal`)).status).toBe(403)
    await finance.get(back)
    expect((await finance.post(`/settlements/${id}/release`, { back, reason: 'counted again' })).to).toContain('?done=')
    await eventually(async () =>
      expect((await hub.admin(`deliveries/${id}`)).body).toMatchObject({ state: 'delivered', destination: 'erp' }),
    )
  }, 30_000)
})
