// What an operator can do where no node answers. The client's transport keeps of a fault of the connection only its
// message, so that is what it is told by.

const UNREACHED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|^Connection Error$/;
const EXPIRED = /certificate (?:has expired|is not yet valid)/;
const NOT_TRUSTED = /certificate|altnames/i;
/** What is left of TLS that meets none: the one side hangs up, the other cannot read what it gets. */
const HUNG_UP = /socket hang up|ECONNRESET/;
const NO_TLS = /EPROTO|wrong version number|packet length too long|SSL routines/i;

/** What Node advises, which no setting of ours follows. */
const ADVICE_OF_NODE = /; if the root CA is installed locally.*$/;

/** The fault, and what to look at where that is known. `nodes`: as they are set. */
export function withMend(fault: string, nodes: readonly string[]): string {
  const words = wordsFor(fault, nodes);
  return words === null ? fault : `${fault.replace(ADVICE_OF_NODE, '')}; ${words}`;
}

function wordsFor(fault: string, nodes: readonly string[]): string | null {
  if (EXPIRED.test(fault)) return 'renew the certificate of the nodes, and check the clocks';
  if (NOT_TRUSTED.test(fault)) {
    return (
      'set `COLLOQUY_OPENSEARCH_CA` to the file with the certificate that signs those of the nodes, and ' +
      '`COLLOQUY_OPENSEARCH_NODES` to the names that are in theirs'
    );
  }
  if (UNREACHED.test(fault)) {
    return `check that OpenSearch runs at \`COLLOQUY_OPENSEARCH_NODES\` (${nodes.join(', ')})`;
  }
  if (HUNG_UP.test(fault) && nodes.some((node) => node.startsWith('http://'))) {
    return 'where the nodes want TLS, `COLLOQUY_OPENSEARCH_NODES` has to begin with https://';
  }
  if (NO_TLS.test(fault) && nodes.some((node) => node.startsWith('https://'))) {
    return (
      'where the nodes have no TLS, `COLLOQUY_OPENSEARCH_NODES` has to begin with http://, and ' +
      '`COLLOQUY_OPENSEARCH_HTTP` to be `anywhere` unless they are on this machine'
    );
  }
  return null;
}
