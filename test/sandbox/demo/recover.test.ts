import { expect, test } from 'vitest'
import { recover } from '../../../sandbox/demo/recover.ts'

test('lost webhooks are recovered although the first run of the job had begun before they were lost', async () => {
  let [failed, runs] = [8, 0]
  const hub = {
    async admin<Answer>(): Promise<Answer> {
      runs += 1
      if (runs === 2) failed = 1
      return undefined as Answer
    },
  }
  const settled = async () => {}
  const platform = { dialect: 'facts' as const, failed: () => failed, sendFailedAgain: async () => 0, settled }
  expect(await recover({ platform, hub })).toEqual({ sentAgain: 7, hadArrived: 1 })
})
