import { parseArgs } from 'node:util'
import { readDialect } from '../sandbox/platform/dialects/dialect.ts'
import { countEffects } from './count.ts'
import { countBooks } from './count-books.ts'
import { countHeld } from './count-held.ts'
import { countOnline } from './count-online.ts'
import { playDay } from './day.ts'
import { orderFromNowhere } from './order-from-nowhere.ts'
import { renderTable } from './table.ts'
import { isRight, tally } from './tally.ts'
import { startWorld } from './world.ts'

/* npm run demo: a store's first day. */

const { dialect, ...values } = asked()

const began = performance.now()
const say = (line: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)

await using world = await startWorld(dialect)
const { hub, folder, platform, shop, mailbox, texts, bus } = world
say(`The hub runs at ${hub.url}; everything it keeps is in ${folder}.`)
const { placed, settled } = await playDay(world, values, say)
if (values.break) {
  const order = await orderFromNowhere(world)
  say(
    `Broken on purpose: order ${order} was put into the shop by nobody's till, and one mail is hidden from the count.`,
  )
}

const effects = [
  ...countEffects(world, placed, { hideOneMail: values.break }),
  ...countOnline(world, placed),
  ...(await countBooks(world, settled)),
  ...(await countHeld(world)),
]
const rows = effects.map(tally)
const right = rows.every(isRight)
console.log(`\n${renderTable(rows)}\n`)
console.log(right ? 'Everything that the till did has happened, once.' : 'Something is WRONG.')
if (right && rows.some(({ name }) => name.startsWith('shown nowhere')))
  console.log(
    'What the platform told in words that nobody shows is held, and waits for platform.payloads (docs/evidence.md).',
  )

if (values.exit || values.break) process.exitCode = right ? 0 : 1
else {
  console.log(`
Look at it:
  till and platform   ${platform.url}
  online shop         ${shop.url}
  mailbox             ${mailbox.url}
  phone               ${texts.url}
  event bus           ${bus.url}
Sell something yourself:
  curl -X POST ${platform.url}/sandbox/endless-aisle
Or order something on the page of the online shop, and lay it ready at the till, under Orders.
Ctrl-C ends it; nothing is left behind.`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

/** What the command line says; ends the program with 2 where it says something else. */
function asked() {
  try {
    const { values } = parseArgs({
      options: {
        exit: { type: 'boolean', default: false },
        kill: { type: 'boolean', default: false },
        break: { type: 'boolean', default: false },
        dialect: { type: 'string', default: 'facts' },
      },
    })
    return { ...values, dialect: readDialect(values.dialect) }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
