/**
 * Rows as a hub leaves them, so that the server knows what each column is like: nearly all of it is done, and what is open is
 * little. Then its statistics are drawn.
 */
export const ROWS = `
  insert into events (id, kind, origin, state, received_at, transport_key, revision, entity, size, body_hash, submission, line)
    select n, case when n % 20 = 0 then 'OrderSubmitted' when n % 1000 = 1 then 'PosOrderCreated' else 'SaleCreated' end, 'platform',
      case when n % 500 = 3 then 'unrouted' else 'routed' end, 1795000000000 + n * 1000, 'key-' || n, 0,
      case when n % 20 = 0 then 'order:A' || n else 'sale:' || n end, 400, md5(n::text),
      case when n % 20 = 0 then n / 40 end, case when n % 20 = 0 then n % 40 end
    from generate_series(1, 20000) n;
  insert into payloads (event_id, headers, body) select n, '{}', '\\x7b7d' from generate_series(1, 20000) n;
  insert into keys (key, event_id) select gen_random_uuid(), n from generate_series(1, 20000) n;
  insert into deliveries (id, event_id, flow, part, destination, urgency, entity, once, state, due_at, settled_at, latest_wins, subject, effect)
    select n, (n + 1) / 2, case when n % 20 = 0 then 'submit-order' else 'publish' end, n::text, case when n % 2 = 0 then 'shop' else 'erp' end, 'prompt',
      case when n % 20 = 0 then 'order:A' || n / 2 else 'sale:' || n end, n % 20 = 0,
      case when n % 1000 = 0 then 'waiting' when n % 1000 = 1 then 'dead' when n % 1000 = 2 then 'held' when n % 1000 = 3 then 'skipped' else 'delivered' end,
      1795000000000 + n * 500, 1795000000000 + n * 500, n % 7 = 0, 's' || n, case when n % 20 = 0 then 'order/A' || n / 2 || '/created' end
    from generate_series(1, 40000) n;
  insert into in_flight (delivery_id, hub) select id, gen_random_uuid() from deliveries where state = 'waiting';
  insert into attempts (delivery_id, at, ms, outcome, code) select n, n, 5, 'delivered', 'delivered' from generate_series(1, 40000) n;
  insert into links (destination, kind, id, their_id, is_level)
    select 'shop', 'order', 'A' || n, 'T' || n, n % 50 = 0 from generate_series(1, 20000) n;
  insert into acknowledged (destination, flow, subject, digest)
    select 'shop', 'publish-stock', 's' || n, md5(n::text) from generate_series(1, 20000) n;
  insert into submissions (system, resource, key, received_at) select 'erp', 'orders', 'k' || n, n from generate_series(1, 20000) n;
  insert into audit (at, by, action, selection, changed, words, hash)
    select n, 'person' || n % 20, 'act' || n % 20, '{}', 1, '', '' from generate_series(1, 20000) n;
  insert into audit_deliveries (delivery_id, audit_id) select n, n from generate_series(1, 20000) n;
  insert into audit_events (event_id, audit_id) select n, n from generate_series(1, 20000) n;
  insert into search_keys (key, event_id) select n * 7919 % 1000003, n / 4 from generate_series(1, 80000) n;
  update search_index set up_to = 20000;
  insert into job_runs (job, started_at) select 'job' || n % 30, n from generate_series(1, 3000) n;
  insert into customers (customer_id, ext_id, email, phone, updated_at)
    select 'c' || n, 'x' || n, n || '@example.com', '+47' || n, n from generate_series(1, 20000) n;
  insert into lookups (at, number, found, missing, ms) select n, 'A' || n, '[]', '[]', 5 from generate_series(1, 20000) n;
  insert into mirror (set_name, key, place, article, day, part, version, tie, body, saved_at)
    select case when n % 2 = 0 then 'sales-lines' else 'stock' end, 'k' || n, (n % 20)::text, 'a' || n / 20, '2026-11-' || 10 + n % 20,
      'p' || n / 100, n, 0, '{}', n from generate_series(1, 20000) n;
  insert into findings (sort, key, topic, day, version, body)
    select 'unsellable', 'k' || n, 't' || n % 50, '2026-11-' || 10 + n % 20, n, '{}' from generate_series(1, 20000) n;
  insert into gaps (key, source, cause, kind, store_id, destination, day, at, first_seen_at, last_seen_at, state, body)
    select 'k' || n, 'log', 'cause' || n % 10, 'kind' || n % 20, (n % 50)::text, 'shop' || n % 5, '2026-11-' || 10 + n % 20, n, n, n,
      case when n % 100 = 0 then 'open' else 'closed' end, '{}' from generate_series(1, 20000) n;
  insert into covered (source, scope, from_at, to_at) select 'log', 's' || n % 100, n, n from generate_series(1, 2000) n;
  analyze`
