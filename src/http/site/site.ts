// What all pages share, and what a server takes from a feature.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import type { SecurityLog } from '../../accounts/security-log.ts';
import type { Config, Setting } from '../../config.ts';
import type { LogLines } from '../../log.ts';
import type { FamilySource } from '../../metrics.ts';
import type { Archive, BytesOperation, Operation } from '../../operation/operation.ts';
import type { SearchState } from '../addresses.ts';
import type { BytesUnderWay } from '../answers/bytes-under-way.ts';
import type { Connections } from '../connections.ts';
import type { KeyedRouteDeps } from '../endpoints.ts';
import type { QuickRefusal } from '../quick-refusal.ts';
import type { Admission } from '../requests/admission.ts';
import type { Visitors } from '../requests/caller.ts';
import type { NetworkLimit, RateLimiter } from '../requests/limits.ts';
import type { Sessions } from '../session.ts';
import type { Html } from '../views/html.ts';
import type { Frame, FrameEntrance, PageAssets } from '../views/layout.ts';

export interface ServedFeature {
  /** That of its folder. */
  readonly name: string;
  /** In the order of the OpenAPI document; absent: none. */
  readonly operations?: () => Promise<readonly Operation[]>;
  /** What it sends as bytes, likewise. */
  readonly bytes?: () => Promise<readonly BytesOperation[]>;
  /** Adds endpoints that are no operation, such as feeds; absent: it has none. */
  readonly endpoints?: () => Promise<(server: FastifyInstance, deps: EndpointDeps) => void | Promise<void>>;
  /** Adds the routes of its pages; absent: it has none. */
  readonly pages?: () => Promise<(server: FastifyInstance, site: Site) => void | Promise<void>>;
  /** Paths of its pages that each count as a search; absent: none. */
  readonly searches?: readonly SearchPath[];
  /** Its paths, and what is below them, that anybody may ask for often without a search; absent: none. */
  readonly light?: readonly string[];
  /** Of these, pages that wait for a turn, as searches do; absent: none. */
  readonly turns?: readonly string[];
  /** Its paths, and below those that end in `/` all, whose errors are problem documents; absent: none. */
  readonly machines?: readonly string[];
  /** Its entry in the header of every page; absent: none. */
  readonly navigation?: NavigationEntry;
  readonly slots?: {
    /** In the menu of a search, for whoever is signed in: a link to this path with the query behind it. */
    readonly 'results.tools'?: NavigationEntry;
  };
  /** What the page of results shows of it; absent: nothing. */
  readonly results?: () => Promise<(found: ResultsFound) => ResultsPart>;
  /** Watches all requests, and tells of them; absent: it does not. */
  readonly watcher?: () => Promise<(config: Config, told: Told) => (visitors: Visitors) => Watcher>;
  /** What it counts while it serves; absent: nothing. */
  readonly metrics?: () => Promise<(archive: Archive) => FamilySource>;
  /** Its entries in the pages of an account; absent: none. */
  readonly account?: readonly AccountSection[];
  /** What it keeps of an account besides; absent: nothing. */
  readonly ofAccount?: () => Promise<KeptOfAccount>;
  /** How people sign in, of the one feature that lets them. */
  readonly entrance?: Entrance;
  /** What of the environment is its own; `serve` refuses a bad value of any. Absent: nothing. */
  readonly settings?: readonly Setting<unknown>[];
  /** Lines for the operator when a server starts; empty: there is nothing to say. */
  readonly startNotice?: (config: Config) => string;
  /** Pages of the documentation, which are files of docs/; absent: none. */
  readonly guides?: readonly Guide[];
}

/** `asks`: of the address, where it is a search; without, it is a form to fill in. */
export type SearchPath = string | { readonly route: string; readonly asks: RegExp };

/** Where a server tells its operator of requests. */
export interface Told {
  readonly lines: Pick<LogLines, 'write' | 'figures'>;
  readonly security: SecurityLog;
}

export interface Watcher {
  /** To be called before anything else is added to the server. */
  watch(server: FastifyInstance): void;
  /** Of a request for which no hook runs. */
  begin(request: FastifyRequest, reply: FastifyReply): void;
  /** Of one that was refused before the framework saw it. */
  countQuick(refusal: QuickRefusal): void;
  addRoutes(server: FastifyInstance, figures: ServerFigures, sources: readonly FamilySource[]): void;
}

/** What counts, in `figures` of each. */
export interface ServerFigures extends Pick<Site, 'bytes' | 'admission'> {
  readonly connections: Connections;
}

export interface EndpointDeps extends KeyedRouteDeps {
  readonly archive: Archive;
}

export interface AccountSection {
  readonly path: string;
  readonly name: string;
  /** Behind those of other features. */
  readonly isLast?: boolean;
  readonly isInHeader?: boolean;
}

export interface KeptOfAccount {
  /** In JSON. */
  readonly name: string;
  /** One and several of it. */
  readonly words: readonly [string, string];
  /** Goes with the account; as its owner takes it along. Absent: it stays where the account is removed. */
  readonly list?: (accounts: Accounts, account: number) => readonly object[];
  /** Removes what stays, where `accounts remove --NAME` asks for it; returns how many there were. */
  readonly removeOf?: (config: Config, account: number) => Promise<number>;
}

export interface Entrance extends FrameEntrance {
  canRegister(archive: Archive): boolean;
  readonly home: AccountSection;
  /** The path of the form that signs out. */
  readonly signOut: string;
}

export interface ResultsFound extends Pick<SearchState, 'kind' | 'order'> {
  readonly archive: Archive;
  readonly frame: Frame;
  /** Path and query string of the page, without what does not change it. */
  readonly address: string;
  /** As understood: its window is what the page shows. */
  readonly query: string;
  /** What posts comments are of, as understood; null: of all. */
  readonly under: string | null;
  readonly total: number;
  readonly records: readonly object[];
}

export interface ResultsPart {
  readonly below?: Html;
  /** Below the panels beside it. */
  readonly beside?: Html;
  /** In the bar above it. */
  readonly link?: Html;
  /** Paths of feeds, by media type. */
  readonly feeds?: Readonly<Record<string, string>>;
}

export interface NavigationEntry {
  readonly path: string;
  readonly name: string;
  /** Absent: to everybody. */
  readonly isShown?: (archive: Archive) => boolean;
}

export interface Guide {
  readonly path: string;
  /** In docs/. */
  readonly file: string;
  readonly name: string;
  /** The beginnings of the names of the endpoints that it explains. */
  readonly endpoints?: readonly string[];
}

export interface Site {
  readonly archive: Archive;
  readonly features: readonly ServedFeature[];
  readonly admission: Admission;
  readonly sessions: Sessions;
  /** null: nobody can sign in. */
  readonly entrance: Entrance | null;
  readonly canRegister: boolean;
  readonly security: SecurityLog;
  readonly assets: PageAssets;
  readonly visitors: Visitors;
  readonly bytes: BytesUnderWay;
  /** Of the searches of whoever is signed in, together with the requests of the account's keys; null: none. */
  readonly accountLimiter: RateLimiter | null;
  /** Of the searches of visitors. */
  readonly visitorLimit: NetworkLimit;
}
