import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openFile } from '../hub.ts'
import { openStory } from '../process/restored-kit.ts'

/** Litestream's own program, as its authors publish it for this kind of machine. */
const PACKAGE = '@flydotio/litestream-linux-x64'
const VERSION = '1.0.1'

const RUNS = process.platform === 'linux' && process.arch === 'x64'

test.skipIf(!RUNS)(
  'When the disk is lost while sales come, then a copy by Litestream lacks ten seconds at most, and the hub fetches what it lacks',
  async () => {
    await using story = await openStory()
    const run = await installLitestream(story.folder)
    const replica = `file://${join(story.folder, 'replica')}`
    let lostAt = 0
    {
      await using _hub = await story.startHub()
      await story.subscribed()
      const litestream = run('replicate', story.file, replica)
      for (let second = 0; second < 8; second += 1) {
        await story.sell(25)
        await pause(1_000)
      }
      lostAt = Date.now()
      await kill(litestream)
      await story.sell(25)
    }
    for (const end of ['', '-wal', '-shm']) rmSync(story.file + end, { force: true })

    const began = performance.now()
    const restoring = run('restore', '-o', story.file, replica)
    expect((await once(restoring, 'exit'))[0]).toBe(0)
    using db = openFile(story.file)
    const last = Number(db.prepare('select max(received_at) from events').pluck().get())
    expect(lostAt - last, 'ms before the loss').toBeLessThan(10_000)
    expect(db.prepare('select count(*) from events').pluck().get()).toBeGreaterThan(25)

    await using hub = await story.startHub()
    process.stdout.write(
      `lost: ${lostAt - last} ms; restored and started in ${Math.round(performance.now() - began)} ms\n`,
    )
    await story.complete(hub)
  },
)

async function installLitestream(folder: string): Promise<(...args: string[]) => ChildProcess> {
  const prefix = join(folder, 'litestream')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', prefix, `${PACKAGE}@${VERSION}`], {
    stdio: 'pipe',
  })
  const program = join(prefix, 'node_modules', PACKAGE, 'litestream')
  return (...args) => spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
