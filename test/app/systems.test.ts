import { expect, onTestFinished, test } from 'vitest'
import { loadAdapter } from '../../src/adapters/index.ts'
import { createConfigIssueList, openSystems } from '../../src/app/systems.ts'
import { loadConfig } from '../../src/config/load.ts'
import { ENV, fileWith, MINIMUM } from '../config/fixture.ts'

const DESTINATIONS = `
destinations:
  bus: { adapter: http, url: https://bus.example.com, publish: all }
  mail: { adapter: smtp, url: "\${MAIL_URL}", from: shop@example.com }
  quick: { adapter: smtp, url: "\${MAIL_URL}", from: shop@example.com, queue: { timeout: 5s } }
`

test('When config does not say how long a call may take, then the adapter does, and else it is 20 seconds', async () => {
  const { config } = await loadConfig({
    path: await fileWith(MINIMUM + DESTINATIONS),
    env: { ...ENV, MAIL_URL: 'smtp://mail.example.com' },
    adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
  })
  const opened = new AsyncDisposableStack()
  onTestFinished(() => opened.disposeAsync())
  const { targets } = await openSystems(config, '.', { opened, configIssues: createConfigIssueList() })
  expect(targets.map(({ name, queue }) => [name, queue.timeout])).toEqual([
    ['bus', 20_000],
    ['mail', 120_000],
    ['quick', 5_000],
  ])
})
