import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUp, restoreStorage } from '../../src/storage/backup.ts'
import { eventually } from '../eventually.ts'
import { HOUR, openStory, salesIn, waitingIn } from './restored-kit.ts'

test('When a backup of this morning is restored in the evening, then the hub fetches the sales of the day by itself', async () => {
  await using story = await openStory()
  const saved = join(story.folder, 'saved.db')
  {
    await using hub = await story.startHub()
    await story.subscribed()
    await story.sell(20)
    await eventually(() => salesIn(hub).size === 20)
    await backUp(`file:${story.file}`, saved)
    story.clock.advance(8 * HOUR)
    await story.sell(30)
    await eventually(() => salesIn(hub).size === 50 && waitingIn(hub) === 0)
  }
  restoreStorage(`file:${story.file}`, saved, Date.now())

  await using hub = await story.startHub()
  expect(salesIn(hub).size).toBe(20)
  await story.complete(hub)
})
