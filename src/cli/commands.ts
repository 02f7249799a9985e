// Every command by its name. Each has a file of its own.

import type { Command } from 'commander';

/**
 * Name → module, loaded when the command is called or all are listed: loading all takes longer than most
 * commands.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  filter: async () => (await import('./filter.ts')).filterCommand(),
  remove: async () => (await import('./remove.ts')).removeCommand(),
  search: async () => (await import('./search.ts')).searchCommand(),
  sample: async () => (await import('./sample.ts')).sampleCommand(),
  words: async () => (await import('./words.ts')).wordsCommand(),
  timeline: async () => (await import('./timeline.ts')).timelineCommand(),
  thread: async () => (await import('./thread.ts')).threadCommand(),
  explain: async () => (await import('./explain.ts')).explainCommand(),
  breakdown: async () => (await import('./breakdown.ts')).breakdownCommand(),
  watch: async () => (await import('./watch.ts')).watchCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  datasets: async () => (await import('./datasets.ts')).datasetsCommand(),
  cite: async () => (await import('./cite.ts')).citeCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  saved: async () => (await import('./saved.ts')).savedCommand(),
  accounts: async () => (await import('./accounts.ts')).accountsCommand(),
  communities: async () => (await import('./communities.ts')).communitiesCommand(),
  coverage: async () => (await import('./coverage.ts')).coverageCommand(),
  stats: async () => (await import('./stats.ts')).statsCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  move: async () => (await import('./move.ts')).moveCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
};
