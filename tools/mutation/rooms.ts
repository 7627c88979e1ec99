import { globSync } from 'node:fs'

/** The rooms that a run judges unless it is told which: what decides, of the whole house. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: ['src/domain/**/*.ts'],
  payloads: ['src/payloads/**/*.ts'],
  delivery: ['src/delivery/**/*.ts'],
  inbox: ['src/inbox/**/*.ts'],
  flows: ['src/flows/**/*.ts'],
  // The stores' decisions; what they ask of the database is no code, and the contract of stores is what judges it.
  store: [
    'src/store/*/{accepting,changing,acts,acknowledging,owing,merging}.ts',
    'src/store/postgres/claiming/{claiming,owing,settling,strands}.ts',
    'src/store/sqlite/lanes/*.ts',
    'src/store/{verbs,owed,kept}.ts',
  ],
}

/** The files of every room, in their order. */
export function filesOfRooms(root: string): string[] {
  return [...new Set(Object.values(ROOMS).flatMap((globs) => globSync([...globs], { cwd: root })))].sort()
}

/** The room of a file: `domain/queue`, `flows`, `store`; a room that is asked for holds those below it. */
export function roomOf(file: string): string {
  const [, room = '', below = ''] = file.split('/')
  return room === 'domain' ? `${room}/${below}` : room
}

/** Whether a file is in the room that was asked for: a folder of src, or a file of it. */
export function isIn(file: string, room: string): boolean {
  return file === `src/${room}` || file.startsWith(`src/${room}/`)
}
