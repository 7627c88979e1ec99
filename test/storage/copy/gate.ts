import { eventually } from '../../eventually.ts'
import { asOwner, connect } from '../postgres/schema.ts'

/** A gate in a table: rows with a higher id than a given one wait before it. */
export interface Gate {
  /** Waits until one stands there: everything before it is committed or under way. */
  reached(): Promise<void>
  open(): Promise<void>
}

/** Puts a gate into a table of a schema: a copy stands still there, in the middle of a slice. */
export async function putGate(schema: string, table: string, column: string, beyond: number): Promise<Gate> {
  await asOwner(`set search_path = ${schema};
    create table if not exists gate (closed boolean);
    insert into gate values (true);
    create or replace function wait_at_gate() returns trigger language plpgsql as $$ begin
      perform pg_advisory_lock_shared(hashtext(tg_table_schema || '.gate'));
      while exists (select 1 from ${schema}.gate) loop perform pg_sleep(0.01); end loop;
      return new;
    end $$;
    create or replace trigger gate before insert on ${table} for each row when (new.${column} > ${beyond})
      execute function wait_at_gate()`)
  const held = `select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
    and objid = (hashtext('${schema}.gate')::bigint & 4294967295)`
  return {
    async reached() {
      await using client = await connect(schema)
      await eventually(async () => (await client.ask(held)).length > 0)
    },
    // In two: the trigger can go when all are through.
    async open() {
      await asOwner(`delete from ${schema}.gate`)
      await asOwner(`drop trigger if exists gate on ${schema}.${table}`)
    },
  }
}
