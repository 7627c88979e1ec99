import { prepared, type Session } from './server/database.ts'

const lock = prepared<{ resets: number }>('select resets from hubs where id = $1 for key share')

/** Keeps the hub's row until the commit. Undefined: it is presumed dead, and may write nothing. */
export async function lockHub(session: Session, hub: string): Promise<{ resets: number } | undefined> {
  const [row] = await session.query(lock, [hub])
  return row
}
