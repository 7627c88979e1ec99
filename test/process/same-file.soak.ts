import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { createFolder, startTestHub } from '../hub.ts'
import { addressOf, configured, startProgram, statusOf } from './program.ts'

test('when a second one is started on the same file, then it is not ready and says why, until the first is killed', async () => {
  await using folder = await createFolder()
  await using first = startProgram(await configured(join(folder.path, 'first'), { folder: folder.path }))
  const firstUrl = await addressOf(first)
  await using second = startProgram(await configured(join(folder.path, 'second'), { folder: folder.path }))
  const secondUrl = await addressOf(second)

  expect(await statusOf(`${firstUrl}/health/ready`)).toBe(200)
  expect(await statusOf(`${secondUrl}/health/live`)).toBe(200)
  expect(await statusOf(`${secondUrl}/health/ready`)).toBe(503)
  const [why] = await eventually(() => {
    const said = second.lines().filter(({ msg }) => msg === 'store.cannot-open')
    expect(said).toHaveLength(1)
    return said
  })
  expect(why).toMatchObject({
    level: 50,
    problem: expect.stringMatching(/another process holds the lock on .*tillbridge\.db/),
  })

  first.child.kill('SIGKILL')
  await first.ended()
  await eventually(async () => expect(await statusOf(`${secondUrl}/health/ready`)).toBe(200))
  second.child.kill('SIGTERM')
  expect(await second.ended()).toBe(0)
})

test('when one that waits for its file is told to stop, then it stops', async () => {
  await using folder = await createFolder()
  await using holder = await startTestHub({ folder: folder.path })
  await using program = startProgram(await configured(join(folder.path, 'other'), { folder: folder.path }))
  const url = await addressOf(program)
  expect(await statusOf(`${holder.url}/health/ready`)).toBe(200)
  expect(await statusOf(`${url}/health/ready`)).toBe(503)

  program.child.kill('SIGTERM')

  expect(await program.ended()).toBe(0)
})
