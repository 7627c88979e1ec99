import { expect, test } from 'vitest'
import { createNotifier, type Recipient } from '../../../src/jobs/alarms.ts'
import { createTestClock } from '../../clock.ts'

test('When a mail server takes half a minute for an alarm, then it is told; a webhook is given up before', async () => {
  const clock = createTestClock()
  const teller = createNotifier({ hub: 'hub.example.com', clock })
  const takesHalfAMinute: Recipient['notify'] = () => new Promise((reported) => clock.after(30_000, reported))
  const tell = (addresses: string[]) =>
    teller.test({ name: 'ops', least: 'alarm', addresses, notify: takesHalfAMinute }, new AbortController().signal)

  const [mail, webhook] = [tell(['ops@example.com']), tell([])]
  clock.advance(30_000)

  expect(await mail).toBeNull()
  expect(await webhook).toBe('it did not answer within 15 s')
})
