import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/docker-context.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { blocksOf, looksLike, shapeOf, typedIn } from './page.ts'
import { copyCheckout, openNetwork, openTerminal, type Running, type Terminal } from './terminal.ts'

/**
 * Blocks of the README say beside their language, unseen by who reads it: `stays`, the command goes on in a terminal of its own;
 * `elsewhere`, in another fresh checkout; `unrun`, it is not typed here: it has other people's addresses in it.
 */

/** Where nothing is set up yet, it finds something wrong; that is what it is for. */
const FINDS = /^npx tillbridge doctor/

/** Asking twice changes nothing: what is still on its way is there the next time. */
const ASKS = /^npx tillbridge (events|deliveries|status|jobs|keys|order|late)\b/

test('When the README is typed from the top, then everything works, and prints what the README shows', async () => {
  await using folder = await createFolder()
  using network = await openNetwork()
  const [here, elsewhere] = [join(folder.path, 'here'), join(folder.path, 'elsewhere')]
  for (const checkout of [here, elsewhere]) {
    await mkdir(checkout)
    copyCheckout(ROOT, checkout)
  }
  symlinkSync(join(here, 'node_modules'), join(elsewhere, 'node_modules'))
  await using downloads = openTerminal(here, [])
  await using second = openTerminal(here, network.enter)
  await using stays = openTerminal(here, network.enter)
  await using other = openTerminal(elsewhere, network.enter)
  let running: Running[] = []

  for (const block of blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'))) {
    if (block.marks.includes('unrun')) continue
    for (const { command, prints } of typedIn(block)) {
      const where = `README.md:${block.line}: ${command}`
      if (command === '') expectShown(`…\n${prints}…`, running.at(-1)?.out() ?? '', where)
      else if (block.marks.includes('stays')) await stay(command)
      else await type(block.marks.includes('elsewhere') ? other : second, command, prints, where)
    }
  }

  await endAll()

  async function stay(command: string) {
    // The demo has ports of its own; who reads on has seen enough of it.
    if (/everything it keeps/.test(running.at(-1)?.out() ?? '')) await endAll()
    running.push(await stays.leave(command))
  }

  /** Ctrl-C in each terminal; of a demo, nothing is left behind. */
  async function endAll() {
    for (const one of running.toReversed()) {
      const [, kept] = /everything it keeps is in (\S+)\./.exec(one.out()) ?? []
      if (kept !== undefined) expect(existsSync(kept)).toBe(true)
      await one.interrupt()
      if (kept !== undefined) expect(existsSync(kept)).toBe(false)
    }
    running = []
  }

  async function type(terminal: Terminal, command: string, prints: string | null, where: string) {
    const once = async () => {
      const { code, out } = await (command.startsWith('npm ci') ? downloads : terminal).type(command)
      expect(FINDS.test(command) ? [0, 1] : [0], `${where}\n${out}`).toContain(code)
      // Of a person's own settings, npm says what it thinks.
      if (prints !== null) expectShown(prints, out.replace(/^npm warn .*\n/gm, ''), where)
    }
    await (ASKS.test(command) ? eventually(once) : once())
  }
})

/** Words are as they stand there; numbers, times, ids and widths are what they are. */
function expectShown(shown: string, printed: string, where: string): void {
  const [wanted, found] = [shapeOf(shown), shapeOf(printed)]
  const both = `${where}\nshows\n${wanted.join('\n')}\nand prints\n${found.join('\n')}`
  expect(looksLike(found, wanted), both).toBe(true)
}
