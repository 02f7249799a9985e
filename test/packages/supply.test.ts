// What Colloquy brings along of others: few packages, pinned, by licences that allow it, without scripts of their own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditOutcome } from '../../release/advisories.ts';
import { ALLOWED_LICENCES, refusedLicences, thirdPartyNotices } from '../../release/licences.ts';
import { isNode, type RuntimePackage, readLockFile, runtimePackages } from '../../release/lock-file.ts';
import { packageManifest } from '../../release/manifest.ts';
import { sbom } from '../../release/sbom.ts';
import { project, read } from '../project.ts';

const packages = runtimePackages(readLockFile(project));
const manifest = JSON.parse(read('package.json'));

describe('packages that run', () => {
  // Four for metrics: prom-client and the three that it asks for.
  it('are few', () => assert.ok(packages.length <= 90, `${packages.length}; more need a reason`));

  it('are pinned: those that we name by their version, all of them by their digest', () => {
    const named = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    for (const [name, version] of Object.entries(named))
      assert.match(String(version), /^\d+\.\d+\.\d+$/, name);
    const without = packages.filter(({ integrity = '' }) => !integrity.startsWith('sha512-'));
    assert.deepEqual(without, []);
  });

  it('run no script while they are installed', () => {
    const all = Object.entries(readLockFile(project).packages);
    const scripts = all.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    assert.deepEqual(scripts, [], 'nor do those for development');
    assert.match(read('.ci/run'), /^npm ci --ignore-scripts /m);
  });

  it('have licences that are allowed', () => {
    assert.deepEqual(refusedLicences(packages), []);
    const strangers = [
      { name: 'a', version: '1.0.0', license: 'AGPL-3.0-only', place: 'node_modules/a' },
      { name: 'b', version: '2.0.0', place: 'node_modules/b' },
      { name: 'c', version: '3.0.0', license: ALLOWED_LICENCES[0]!, place: 'node_modules/c' },
    ];
    assert.deepEqual(refusedLicences(strangers), ['a 1.0.0: AGPL-3.0-only', 'b 2.0.0: no licence']);
  });
});

it('package.json of the package says nothing of development, may be published, and bundles every package that it names but Node', () => {
  const own = packageManifest(project);
  const added = Object.keys(own).filter((field) => !(field in manifest));
  assert.deepEqual(added, ['bundleDependencies']);
  assert.ok(!('devDependencies' in own) && !('scripts' in own) && !('private' in own));
  assert.deepEqual(own.bundleDependencies, Object.keys(manifest.dependencies));
  assert.equal(manifest.private, true, 'the folder without a build is not published by accident');
});

describe('THIRD-PARTY-NOTICES.txt', () => {
  it('has every package with the text of its licence, and the lexicon', () => {
    const text = thirdPartyNotices(project, packages, { 'src/own (MIT)': 'Their words' });
    for (const { name, version, license } of packages) {
      assert.ok(text.includes(`\n${name} ${version} (${license})\n`), name);
    }
    assert.match(text, /\nsrc\/own \(MIT\)\n\nTheir words\n/);
    const parts = text.split(`\n${'-'.repeat(80)}\n`).slice(1);
    for (const part of parts.slice(1)) assert.match(part, /copyright|Apache License|abstract-logging/i);
    assert.equal(new Set(parts).size, parts.length, 'no text stands there twice');
  });

  it('is not made where a text is missing', () => {
    const absent: RuntimePackage = { name: 'absent', version: '1.0.0', place: 'node_modules/absent' };
    assert.throws(() => thirdPartyNotices(project, [absent], {}), /absent is not installed/);
  });
});

it('the SBOM names Colloquy and every package that runs, by version and digest, and no other', () => {
  const made = JSON.parse(sbom(project));
  assert.equal(made.bomFormat, 'CycloneDX');
  const { name, version, type } = made.metadata.component;
  assert.deepEqual([name, version, type], ['colloquy', manifest.version, 'application']);
  const named = (list: readonly { readonly name: string; readonly version: string }[]) =>
    [...new Set(list.map((entry) => `${entry.name} ${entry.version}`))].sort();
  assert.deepEqual(named(made.components), named(packages));
  for (const component of made.components) assert.equal(component.hashes[0].alg, 'SHA-512', component.name);
  assert.equal(packages.filter(isNode).length, Object.keys(manifest.optionalDependencies).length);
});

describe('npm run advisories', () => {
  const audit = (counts: object) => JSON.stringify({ metadata: { vulnerabilities: counts } });

  it('fails for high and critical ones, and says where nothing could be checked', () => {
    const cases = [
      [audit({ total: 0, high: 0, critical: 0 }), 0, 0],
      [audit({ total: 2, high: 0, critical: 0 }), 0, 0],
      [audit({ total: 2, high: 1, critical: 0 }), 1, 1],
      [audit({ total: 1, high: 0, critical: 1 }), 1, 1],
      [JSON.stringify({ statusCode: 405, message: '405 Method Not Allowed' }), 1, 77],
      ['', null, 77],
    ] as const;
    for (const [out, code, expected] of cases) assert.equal(auditOutcome(out, code).code, expected, out);
    assert.match(auditOutcome('', 1).words, /nothing was checked/);
  });
});
