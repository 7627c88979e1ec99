import { expect, test } from 'vitest'
import { toldBy } from '../admin/health-kit.ts'
import { eventually } from '../eventually.ts'
import { busTo, startTestHub } from '../hub.ts'
import { saleNo } from '../queue/kit/kit.ts'
import { startSink } from '../sink.ts'
import { connect, NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'

test.skipIf(SERVER === undefined)(
  `When another server takes the place of the one of before, whose clock is two hours behind, while a destination is down, then what waits goes out as soon as it is back, and status says of whose clock it is (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await temporarySchema()
    await using sink = await startSink()
    await using hub = await startTestHub({
      destinations: { bus: busTo(sink.url) },
      config: { store: { url: schema.url } },
    })
    await sink.refuse()
    for (const no of [1, 2, 3]) await hub.post('SaleCreated', saleNo(no))
    await eventually(() => expect(hub.lines.map(({ msg }) => msg)).toContain('destination.outage'))
    await using server = await connect(schema.name)
    await server.ask(`create or replace function ${schema.name}.now_ms() returns bigint language sql stable as
      $$ select floor(extract(epoch from statement_timestamp()) * 1000)::bigint - 7200000 $$`)
    await sink.open()
    expect(await sink.until(3, 40_000)).toHaveLength(3)
    await eventually(async () => {
      const means = (await toldBy(hub)).map((item) => item.means)
      expect(means.join()).toContain("The database server's clock went 7,200 s back")
    }, 20_000)
  },
)
