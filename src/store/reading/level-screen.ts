import { and, desc, eq, type SQL } from 'drizzle-orm'
import type { Db, Dialect } from './dialect.ts'
import type { LevelStanding } from './lists/level-standing.ts'
import { isUnsettled } from './matching.ts'

export function createLevelScreen(db: Db, dialect: Dialect) {
  const { acknowledged, deliveries } = dialect.tables
  const { id, state } = deliveries

  async function newest(destination: string, flow: string, entity: string, index: SQL | undefined) {
    const isIt = and(eq(deliveries.destination, destination), eq(deliveries.entity, entity), eq(deliveries.flow, flow))
    const [row] = await db.select({ id, state }).from(deliveries).where(and(index, isIt)).orderBy(desc(id)).limit(1)
    return row
  }

  return {
    async levelStanding(destination: string, flow: string, entity: string): Promise<LevelStanding | null> {
      // Separate queries, each with its index.
      const undone = await newest(destination, flow, entity, dialect.isUndone())
      const held = await newest(destination, flow, entity, and(isUnsettled(dialect.tables), eq(state, 'held')))
      const last = [undone, held].flatMap((row) => row ?? []).sort((a, b) => b.id - a.id)[0]
      if (last) return { delivery: last.id, state: last.state }
      const [told] = await db
        .select({ flow: acknowledged.flow })
        .from(acknowledged)
        .where(
          and(eq(acknowledged.destination, destination), eq(acknowledged.flow, flow), eq(acknowledged.subject, entity)),
        )
      return told ? { delivery: null, state: 'delivered' } : null
    },
  }
}
