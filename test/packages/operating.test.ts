// docs/operating.md: every command in it is run, in its order, from the package. Places of the system lie below a
// folder of the test; programs that would change the machine (package manager, users, systemd) are replaced by what
// they do to these places, and none of Colloquy is.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig, SETTINGS } from '../../src/config.ts';
import { missing } from '../processes.ts';
import { installPackage } from './installed.ts';

const guide = readFileSync(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8');

/** Each section of the guide with its blocks of commands. */
const [, ...parts] = guide.split(/^## /m);
const sections = parts.map((text) => ({
  title: text.split('\n')[0]!,
  blocks: Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block]) => block!),
}));

const STAND_INS: Readonly<Record<string, string>> = {
  sudo: 'exec "$@"',
  'apt-get': ':',
  useradd: ':',
  usermod: ':',
  // Below `--mode`, only folders stand.
  install: 'for word; do case $word in /*) mkdir -p "$word" ;; esac; done',
  runuser: 'shift 3; exec "$@"',
  npm: `[ "$1 $2 $3" = "install --global --prefix" ] && [ -f "$5" ]
mkdir -p "$4/bin" "$4/lib/node_modules"
ln -sfn "$PLACE" "$4/lib/node_modules/colloquy"
ln -sf ../lib/node_modules/colloquy/bin/colloquy.mjs "$4/bin/colloquy"`,
  systemctl: `units=$ROOT/etc/systemd/system
for word; do unit=$word; done
of() { cat "$units/$unit.service" "$units/$unit.service.d/"*.conf 2>/dev/null | sed -n "s/^$1=//p" | tail -n 1; }
call() { set -a; . "$(of EnvironmentFile)"; PATH=$ROOT/opt/colloquy/bin:$PATH; exec $(of ExecStart); }
stop() {
  [ -f "$ROOT/pid" ] || return 0
  kill "$(cat "$ROOT/pid")"
  while grep -qs '^State:.[^Z]' "/proc/$(cat "$ROOT/pid")/status"; do sleep 0.02; done
  rm "$ROOT/pid"
}
start() { mkdir -p "$ROOT/run/colloquy"; call >>"$ROOT/log" 2>&1 & echo $! >"$ROOT/pid"; }
case "$*" in
  'stop colloquy') stop ;;
  'start colloquy' | 'enable --now colloquy') start ;;
  'restart colloquy') stop; start ;;
  'start colloquy-backup') (call) ;;
  'enable --now colloquy-backup.timer') [ -f "$units/colloquy-backup.timer" ] ;;
  daemon-reload | 'restart caddy' | 'status colloquy --no-pager') ;;
  *) echo "systemctl: not foreseen: $*" >&2; exit 1 ;;
esac`,
};

const NOT_HERE = process.platform === 'linux' ? missing('curl') : 'the guide is for Linux';

/** Why a program is not asked; false where it is. */
function without(program: string, ...words: string[]): string | false {
  return spawnSync(program, words).error === undefined ? false : `no ${program} on this machine`;
}

describe('docs/operating.md', { skip: NOT_HERE }, async () => {
  /** Steps that went well: none is tried behind one that did not. */
  let steps = 0;
  const own = installPackage();
  const root = join(own.folder, 'machine');
  for (const name of ['etc/systemd/system', 'etc/caddy', 'run', 'usr/local/bin', 'srv/dumps', 'home']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  mkdirSync(join(root, 'programs'));
  for (const [name, script] of Object.entries(STAND_INS)) {
    writeFileSync(join(root, 'programs', name), `#!/bin/sh\nset -eu\n${script}\n`, { mode: 0o755 });
  }
  writeFileSync(join(root, 'home', 'colloquy-0.1.0.tgz'), '');
  for (const name of globSync('examples/{*.service,*.timer,Caddyfile}', { cwd: own.place })) {
    const unit = join(own.place, name);
    writeFileSync(unit, placed(readFileSync(unit, 'utf8')));
  }
  cpSync(join(own.place, 'sample'), join(root, 'srv/dumps'), { recursive: true });
  after(() => {
    run('systemctl stop colloquy');
    own[Symbol.dispose]();
  });

  /** On the machine of the test, which has no network: the address of the page is the server's socket. */
  function placed(text: string): string {
    const server = ` --unix-socket ${root}/run/colloquy/colloquy.sock http://localhost/`;
    return text
      .replace(/(?<=[\s'"=]|unix\/|^)\/(?=(?:opt|etc|var|srv|run|usr\/local)\/)/gm, `${root}/`)
      .replaceAll(' https://search.example.org/', server);
  }

  /** What its commands print; fails where one of them does. */
  function run(block: string): string {
    const ours = [join(root, 'programs'), join(root, 'usr/local/bin'), dirname(process.execPath)];
    const PATH = [...ours, process.env.PATH].join(':');
    const { status, stdout, stderr } = spawnSync('sh', ['-euc', placed(block)], {
      cwd: join(root, 'home'),
      env: { ...own.environment, PATH, ROOT: root, PLACE: own.place },
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.equal(status, 0, `${block}\n${stdout}${stderr}`);
    return stdout;
  }

  /** How many lines the dumps whose names begin so have. */
  const records = (start: string) => {
    const names = globSync(`srv/dumps/${start}*.ndjson`, { cwd: root });
    return names.flatMap((name) => readFileSync(join(root, name), 'utf8').trimEnd().split('\n')).length;
  };

  const section = (title: string): string => {
    const found = sections.find((candidate) => candidate.title.endsWith(title));
    assert.ok(found, `a section "${title}"`);
    return found.blocks.map(run).join('');
  };

  it('has its steps in order, and no command outside of them', () => {
    for (const [i, { title }] of sections.entries()) assert.equal(Number.parseInt(title, 10), i + 1);
    const blocks = [...guide.matchAll(/^```/gm)].length / 2;
    assert.equal(sections.flatMap((entry) => entry.blocks).length, blocks);
  });

  it('installs the package, by settings that there are', () => {
    assert.match(section('Install'), /^colloquy \d+\.\d+\.\d+ \(Node /m);
    section('Settings');
    const text = readFileSync(join(root, 'etc/colloquy.env'), 'utf8');
    const lines = text.trim().split('\n');
    const settings = Object.fromEntries(lines.map((line) => line.split('=')));
    const known = new Set(Object.values(SETTINGS).map(({ name }) => name as string));
    for (const name of Object.keys(settings)) assert.ok(known.has(name), name);
    const { requestsPerMinute, registration, publicUrl } = readConfig(settings);
    assert.deepEqual([requestsPerMinute, registration], [600, 'closed']);
    assert.equal(publicUrl, 'https://search.example.org');
    steps++;
  });

  it('starts the server; makes an account, a key, and an index of the dumps', () => {
    assert.equal(steps, 1, 'it is installed');
    assert.match(section('Start'), /"ok"/);
    const made = section('The first account and key');
    assert.match(made, /^https:\/\/search\.example\.org\/account\/link\/\S+$/m);
    assert.match(made, /^clq_\w{38}$/m);
    const imported = section('Import');
    assert.match(imported, new RegExp(`^added +${records('').toLocaleString('en-US')}$`, 'm'));
    assert.match(section('A public address'), /"ok"/);
    steps++;
  });

  it('backs up and keeps the newest, restores, upgrades, watches, removes and finds what takes the room', () => {
    assert.equal(steps, 2, 'it is running');
    const folder = join(root, 'var/backups/colloquy');
    const old = ['2020-01-01T000000Z', '2020-01-02T000000Z', '2099-01-01T000000Z.part', 'of-others'];
    for (const name of old) mkdirSync(join(folder, name));
    assert.match(section('Backups'), /^\d{4}-\d\d-\d\dT\d{6}Z$/m);
    const comments = records('comments').toLocaleString('en-US');
    assert.match(section('Restoring'), new RegExp(`"ok"[^]* ${comments}\\b`));
    assert.match(section('Upgrading'), /"ok"[\s\S]*colloquy \d+\.\d+\.\d+ \(Node /);
    const left = readdirSync(folder).sort();
    assert.equal(left.length, 4, 'the newest three, and what is no backup');
    assert.deepEqual([left[0], left[3]], ['2020-01-02T000000Z', 'of-others']);
    assert.match(section('Watching it'), /"ok"/);
    section('Removals');
    section('When the disk is full');
    steps++;
  });

  it('systemd takes its units', { skip: without('systemd-analyze', '--version') }, () => {
    for (const unit of ['colloquy.service', 'colloquy-backup.service', 'colloquy-backup.timer']) {
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${root}/etc/systemd/system:` },
        encoding: 'utf8',
      });
      assert.doesNotMatch(stdout + stderr, /colloquy/, unit);
    }
  });

  it('Caddy takes its configuration', { skip: without('caddy', 'version') }, () => {
    const words = ['validate', '--adapter', 'caddyfile', '--config', join(root, 'etc/caddy/Caddyfile')];
    const { status, stderr } = spawnSync('caddy', words, {
      env: { PATH: process.env.PATH, HOME: root, XDG_DATA_HOME: root, XDG_CONFIG_HOME: root },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});
