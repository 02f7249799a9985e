// The alerts, the dashboard and the filter of examples/ are held against what the server says, and given to the
// programs that they are for, where these are.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SECURITY_EVENTS } from '../../src/accounts/security-log.ts';
import { LogLines } from '../../src/log.ts';
import { listen } from '../api/listening.ts';
import { openService } from '../api/service.ts';
import { temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { missing } from '../processes.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
const RULES = readFileSync(join(folder, 'prometheus-rules.yml'), 'utf8');
const DASHBOARD = readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8');
const FILTER = readFileSync(join(folder, 'fail2ban-filter.conf'), 'utf8');
const PAGE = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
  readonly gridPos: { readonly w: number; readonly h: number; readonly x: number; readonly y: number };
}

const { panels } = JSON.parse(DASHBOARD) as { readonly panels: readonly Panel[] };
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Those of the table of metrics, which another test holds against /metrics. */
const KNOWN = [...PAGE.matchAll(/^\| `([a-z_0-9]+)` \| (?:counter|gauge|histogram)\b/gm)].map(
  ([, name]) => name!,
);

function promtool(...words: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

describe('prometheus-rules.yml and grafana-dashboard.json', () => {
  it('name metrics that there are, all of them', () => {
    const all = `${RULES}\n${expressions.join('\n')}`;
    const named = [...all.matchAll(/\b(?:colloquy|process|nodejs)_[a-z_0-9]+/g)];
    const names = new Set(named.map(([name]) => name.replace(/_bucket$/, '')));
    assert.ok(names.size > 20);
    for (const name of names) assert.ok(KNOWN.includes(name), name);
  });

  it('no panel of the dashboard lies over another', () => {
    const cells = panels.flatMap(({ gridPos: { w, h, x, y } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    );
    assert.equal(new Set(cells).size, cells.length);
    assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24));
  });

  it('are what Prometheus understands', { skip: missing('promtool') }, () => {
    using temporary = temporaryFolder();
    promtool('check', 'rules', join(folder, 'prometheus-rules.yml'));
    const asked = expressions.map((expr) =>
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'colloquy'),
    );
    const rules = asked.map((expr, i) => ({ record: `panel:${i}`, expr }));
    const file = join(temporary.path, 'dashboard.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    promtool('check', 'rules', file);
  });

  const alerts: readonly (readonly [string, series: Readonly<Record<string, string>>, labels?: object])[] = [
    ['ColloquyDown', { 'up{job="colloquy"}': '0x40' }, { job: 'colloquy' }],
    ['ColloquyNotReady', { colloquy_ready: '0x40' }],
    ['ColloquyIndexDamaged', { 'colloquy_index_readable{kind="posts"}': '0x40' }, { kind: 'posts' }],
    ['ColloquyErrors', { 'colloquy_refusals_total{code="internal_error"}': '0+1x40' }],
    [
      'ColloquyRefusesWork',
      {
        colloquy_admission_refused_at_once_total: '0+1x40',
        colloquy_admission_refused_late_total: '0x40',
        colloquy_admission_let_in_total: '0+10x40',
      },
    ],
    ['ColloquyQueriesTooLong', { 'colloquy_refusals_total{code="query_timeout"}': '0+1x40' }],
    [
      'ColloquySlowSearches',
      {
        'colloquy_request_seconds_bucket{class="search",le="1"}': '0+9x40',
        'colloquy_request_seconds_bucket{class="search",le="2.5"}': '0+10x40',
        'colloquy_request_seconds_bucket{class="search",le="+Inf"}': '0+10x40',
      },
    ],
    ['ColloquyEventLoopHeld', { nodejs_eventloop_lag_p99_seconds: '0.3x40' }],
    ['ColloquyDiskFull', { colloquy_data_disk_free_bytes: '5x40', colloquy_data_disk_bytes: '100x40' }],
    [
      'ColloquyFilesUsedUp',
      { 'process_open_fds{job="colloquy"}': '90x40', 'process_max_fds{job="colloquy"}': '100x40' },
      { job: 'colloquy' },
    ],
    ['ColloquyLogLost', { colloquy_log_lines_lost_total: '0+1x40' }],
    ['ColloquyRestarts', { 'process_start_time_seconds{job="colloquy"}': '0+60x40' }, { job: 'colloquy' }],
  ];

  it('every alert has a case below', () => {
    const named = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    assert.equal(alerts.map(([alert]) => alert).join(), named.join());
  });

  it('each alert is raised where it should be, and not by a server that is well', {
    skip: missing('promtool'),
  }, () => {
    using temporary = temporaryFolder();
    copyFileSync(join(folder, 'prometheus-rules.yml'), join(temporary.path, 'rules.yml'));
    const well = {
      'up{job="colloquy"}': '1x40',
      ...{ colloquy_ready: '1x40', 'colloquy_index_readable{kind="posts"}': '1x40' },
      ...{ colloquy_admission_let_in_total: '0+100x40', colloquy_admission_refused_at_once_total: '0+1x40' },
      ...{
        colloquy_admission_refused_late_total: '0x40',
        'colloquy_refusals_total{code="query_timeout"}': '0x40',
      },
      ...{ colloquy_data_disk_free_bytes: '50x40', colloquy_data_disk_bytes: '100x40' },
      ...{ nodejs_eventloop_lag_p99_seconds: '0.01x40', colloquy_log_lines_lost_total: '0x40' },
    };
    const eval_time = '30m';
    const words = (alert: string, labels: object) => {
      const summary = new RegExp(`- alert: ${alert}\\n[\\s\\S]*?summary: (.*)`).exec(RULES)![1]!;
      const severity = new RegExp(`- alert: ${alert}\\n[\\s\\S]*?severity: (\\w+)`).exec(RULES)![1]!;
      const exp_annotations = { summary: summary.replace('{{ $labels.kind }}', 'posts') };
      return { exp_labels: { severity, ...labels }, exp_annotations };
    };
    const seriesOf = (of: Readonly<Record<string, string>>) =>
      Object.entries(of).map(([series, values]) => ({ series, values }));
    const tests = [
      ...alerts.map(([alertname, series, labels = {}]) => ({
        ...{ interval: '1m', input_series: seriesOf(series) },
        alert_rule_test: [{ eval_time, alertname, exp_alerts: [words(alertname, labels)] }],
      })),
      {
        ...{ interval: '1m', input_series: seriesOf(well) },
        alert_rule_test: alerts.map(([alertname]) => ({ eval_time, alertname, exp_alerts: [] })),
      },
    ];
    const file = join(temporary.path, 'tests.yml');
    writeFileSync(file, JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests }));
    promtool('test', 'rules', file);
  });
});

describe('fail2ban-filter.conf', () => {
  const temporary = ofTests(temporaryFolder());
  const file = join(temporary.path, 'security.log');
  /** The lines that it should find, of all that are in the file. */
  const wanted = { sign_in_refused: 1, second_factor_refused: 1, key_refused: 2, limit_hit: 1 };

  before(async () => {
    await using lines = new LogLines(file);
    const heard = listen({ security: (event) => lines.write({ ...event }) });
    await using service = await openService([], []);
    const server = await service.build({ ...heard.deps, requestsPerMinute: 1 });
    const keys = ['clq_none', service.keys.revoked, service.keys.good, service.keys.good];
    for (const key of keys) {
      const headers = { authorization: `Bearer ${key}` };
      await server.inject({ url: '/api/v1/search/posts?query=a', remoteAddress: '2001:db8::7', headers });
    }
    const place = { id: 'b7a9c1de', address: '203.0.113.7', route: '/sign-in' };
    for (const security of Object.keys(SECURITY_EVENTS) as (keyof typeof SECURITY_EVENTS)[]) {
      if (security !== 'key_refused' && security !== 'limit_hit')
        lines.write({ security, account: 3, ...place });
    }
  });

  it('the filter of fail2ban finds refusals and nothing else', () => {
    const [, expression = ''] = /^failregex = (.*)$/m.exec(FILTER)!;
    const pattern = new RegExp(expression.replace('<HOST>', '(?<host>[0-9a-fA-F.:]+)'));
    const [, date = ''] = /^datepattern = (.*)$/m.exec(FILTER)!;
    assert.equal(date, '"time":"%%Y-%%m-%%dT%%H:%%M:%%S\\.%%f%%z"');
    const found = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        // As fail2ban does: it finds the time, and cuts it out.
        const cut = line.replace(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/, '');
        assert.notEqual(cut, line);
        const match = pattern.exec(cut);
        return match === null ? [] : [[JSON.parse(line).security, match.groups!.host]];
      });
    assert.deepEqual(found, [
      ['key_refused', '2001:db8::7'],
      ['key_refused', '2001:db8::7'],
      ['limit_hit', '2001:db8::7'],
      ['sign_in_refused', '203.0.113.7'],
      ['second_factor_refused', '203.0.113.7'],
    ]);
  });

  it('so does fail2ban itself', { skip: missing('fail2ban-regex') }, () => {
    const words = ['--print-all-matched', '--print-no-missed', file, join(folder, 'fail2ban-filter.conf')];
    const { stdout } = spawnSync('fail2ban-regex', words, { encoding: 'utf8' });
    const matched = stdout.split('\n').filter((line) => /\{"time":"\d/.test(line));
    for (const [security, count] of Object.entries(wanted))
      assert.equal(matched.filter((line) => line.includes(`"security":"${security}"`)).length, count, stdout);
    assert.equal(matched.length, 5);
    assert.match(stdout, /Lines: \d+ lines, 0 ignored, 5 matched/);
  });
});
