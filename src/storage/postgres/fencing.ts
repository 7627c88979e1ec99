import { prepared, type Session } from './server/database.ts'

const markReset = prepared(
  'update hubs set resets = resets + 1 where id in (select id from hubs order by id for no key update)',
)
const lock = prepared<{ resets: number }>('select resets from hubs where id = $1 for key share')

/** In the commit that changes deliveries behind the back of those who have them in memory. */
export async function readAnew(session: Session): Promise<void> {
  await session.query(markReset)
}

/** Keeps the hub's row until the commit. Undefined: it is presumed dead, and may write nothing. */
export async function lockHub(session: Session, hub: string): Promise<{ resets: number } | undefined> {
  const [row] = await session.query(lock, [hub])
  return row
}
