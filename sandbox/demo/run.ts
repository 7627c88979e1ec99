import { listenForInterrupt } from '../interrupt.ts'
import type { DialectName } from '../platform/dialects/dialect.ts'
import { countEffects } from './count.ts'
import { countBooks } from './count-books.ts'
import { countHeld } from './count-held.ts'
import { countOnline } from './count-online.ts'
import { playDay, type Say } from './day.ts'
import { orderFromNowhere } from './order-from-nowhere.ts'
import { isRight, reconcile } from './reconcile.ts'
import { copiesText, renderTable } from './table.ts'
import { leaveTroubles } from './troubles.ts'
import { startWorld, type World } from './world.ts'

/** What is typed behind `tillbridge demo`. */
export interface Asked {
  exit: boolean
  kill: boolean
  break: boolean
  troubles: boolean
  dialect: DialectName
}

/** Plays until it is done, or until Ctrl-C; either way nothing is left behind. */
export async function run(asked: Asked): Promise<void> {
  const began = performance.now()
  const say = (line: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)
  const interrupt = listenForInterrupt()
  const ended = new Promise<void>((resolve) => interrupt.signal.addEventListener('abort', () => resolve()))
  {
    await using world = await startWorld(asked.dialect)
    const right = await Promise.race([ended, interrupt.signal.aborted ? undefined : play(world, asked, say)])
    if (right !== undefined && (asked.exit || asked.break)) process.exitCode = right ? 0 : 1
    else if (right !== undefined) {
      if (asked.troubles) await leaveTroubles(world, say)
      console.log(`\n${whereToLook(world)}`)
      await ended
    }
  }
  // The day that was being played is not waited for: its world is gone.
  if (interrupt.signal.aborted) process.exit(interrupt.exitCode)
  interrupt[Symbol.dispose]()
}

/** The day, and the count at its end: whether all is right. */
async function play(world: World, { kill, break: broken }: Asked, say: Say): Promise<boolean> {
  await world.hub.admin('users', { ...CONSOLE_USER, role: 'operator' })
  say(`The hub runs at ${world.hub.url}; everything it keeps is in ${world.folder}.`)
  const { placed, settled } = await playDay(world, { kill }, say)
  if (broken) {
    const order = await orderFromNowhere(world)
    say(
      `Broken on purpose: order ${order} was put into the shop by nobody's POS, and one mail is hidden from the count.`,
    )
  }
  const effects = [
    ...countEffects(world, placed, { hideOneMail: broken }),
    ...countOnline(world, placed),
    ...(await countBooks(world, settled)),
    ...(await countHeld(world)),
  ]
  const rows = effects.map(reconcile)
  const right = rows.every(isRight)
  console.log(`\n${renderTable(rows)}\n`)
  console.log(right ? copiesText(rows) : 'Something is WRONG.')
  if (right && rows.some(({ name }) => name.startsWith('shown nowhere')))
    console.log(
      'What the platform told in words that nobody shows is held, and waits for platform.payloads (docs/evidence.md).',
    )
  return right
}

/** Of this demo alone, whose hub listens on this machine. */
const CONSOLE_USER = { name: 'demo', password: 'demo-operator' }

function whereToLook({ hub, platform, shop, mailbox, texts, bus }: World): string {
  return `Look at it:
  console             ${hub.url}/console (${CONSOLE_USER.name}, password ${CONSOLE_USER.password})
  POS and platform    ${platform.url}
  online shop         ${shop.url}
  mailbox             ${mailbox.url}
  phone               ${texts.url}
  event bus           ${bus.url}
Sell something yourself:
  curl -X POST ${platform.url}/sandbox/endless-aisle
Or order something on the page of the online shop, and lay it ready at the POS, under Orders.
Ctrl-C ends it; nothing is left behind.`
}
