/**
 * The style of the built-in receipt. Mail programs that drop it still show tables with amounts at their right. Dark
 * colours where the program asks for them.
 */
export const receiptStyle = `
body { margin: 0; padding: 24px 12px; background: #eef0f3; color: #1c2027;
  font: 16px/1.5 -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.paper { display: block; box-sizing: border-box; max-width: 600px; margin: 0 auto; padding: 32px; background: #fff;
  border-radius: 12px; overflow-wrap: anywhere; }
.logo { display: block; max-width: 180px; max-height: 72px; margin: 0 0 24px; }
.store { margin: 0 0 24px; font-size: 18px; font-weight: 700; }
h1 { margin: 0; font-size: 16px; font-weight: 400; color: #596170; }
.sum { margin: 0; font-size: 36px; line-height: 1.2; font-weight: 700; letter-spacing: -0.5px; }
.big { color: inherit; font-size: 30px; line-height: 1.2; font-weight: 700; letter-spacing: -0.3px; margin: 0 0 24px; }
.quiet { margin: 4px 0 24px; color: #596170; }
p.number { margin: 0; }
p { margin: 0 0 16px; }
h2 { margin: 28px 0 4px; font-size: 16px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 0; vertical-align: top; border-top: 1px solid #e3e6eb; }
td[align=right], th[align=right] { padding-left: 16px; white-space: nowrap; }
thead th { border: 0; font-size: 14px; font-weight: 400; color: #596170; }
tbody th { font-weight: 400; }
.lines { margin-top: 8px; }
small { display: block; font-size: 14px; color: #596170; }
.sums th, .sums td, .vat td { padding: 4px 0; border: 0; }
.sums .total th, .sums .total td { padding-top: 12px; border-top: 2px solid #1c2027; font-size: 20px; font-weight: 700; }
.vat th { padding: 4px 0; }
.open { margin: 32px 0 0; }
.open a { display: inline-block; padding: 10px 20px; border: 1px solid #1c2027; border-radius: 8px; color: #1c2027;
  font-weight: 600; text-decoration: none; }
.facts { margin-top: 32px; padding-top: 16px; border-top: 1px solid #e3e6eb; font-size: 14px; color: #596170; }
.facts span { display: inline-block; margin-right: 16px; }
.facts p:last-child { margin: 0; }
@media (max-width: 480px) { body { padding: 0; background: #fff; } .paper { padding: 24px 16px; border-radius: 0; } }
@media (prefers-color-scheme: dark) {
  body { background: #101216; color: #e8eaee; }
  .paper { background: #1b1f26; }
  h1:not(.big), .quiet, small, thead th, .facts { color: #a6aebb; }
  th, td, .facts { border-color: #363c47; }
  .sums .total th, .sums .total td { border-color: #e8eaee; }
  .open a { border-color: #e8eaee; color: #e8eaee; }
}
@media (max-width: 480px) and (prefers-color-scheme: dark) { body { background: #1b1f26; } }
`
