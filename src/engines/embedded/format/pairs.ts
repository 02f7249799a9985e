// Which neighbours are indexed as a pair, so that phrases of common words can be answered without reading the text.
// CommonGrams, as in Nutch and HathiTrust ("Large-scale Full-text Indexing", Burton-West 2010), with a bound on the
// other word too: of other neighbours the payloads of their lists tell (neighbours.ts).
//
// The tokens whose pairs are indexed, counted in some 180,000 public English comments of 2005 to 2024; the frequent
// ones also include the small words of the other most used languages. The lists are part of the format: its version
// (segment-file.ts) goes up when they change.

/** The 200 commonest, from the commonest down: some 58 % of all running words. */
export const COMMON_TOKENS: ReadonlySet<string> = words([
  'the i to a and you it of that is in s for t this have on but be not with if was are they my or',
  'your as just so can like he at what do all me we about m there don one would r an get from com',
  'no out people up more will when re them think how some has because by deleted any https time',
  'good know their really who only www then had his she than reddit even been ve also other see',
  'http make now much her well want go too here way could d please still 1 were why him being am',
  'should which post right did ll going 2 got into very something need first most same over say',
  'back removed message where new sure use never game off those better doesn us 3 our after didn',
  'these subreddit work thing actually lot take its does before pretty though love things someone',
  'down said look great day feel years many every always thanks comments find probably while year',
  'made best questions bad yes isn point around two yeah anything bot maybe try wiki u might since',
  '5 long man getting little',
]);

/** The next 800, the stems of all English contractions, and small words of other languages. */
export const FREQUENT_TOKENS: ReadonlySet<string> = words([
  'few life play read doing mean last contact used action give enough help through automatically',
  'may lol own keep 4 let moderators ever both again put thought guy without thank different 10',
  'money oh old makes another trying everyone watch comment come person nothing concerns already',
  'world big part looks least performed hard bit having nice free done end looking either anyone',
  'using wrong believe once saying such tell else reason less 0 start next real until kind rules',
  'stuff everything high live able far won show place god check seems away link problem wouldn idea',
  'making etc team games times hope name definitely 20 sorry question 6 seen understand top guess',
  'fact between fun wasn true case must job change aren agree remember stop friends video whole',
  'went full against found each yet school buy e run days left de means yourself instead care',
  'youtube guys call gets edit home ask set level ago mind pay happy almost talking en story week',
  'friend second cool posts started side women wait 8 sense playing 100 usually myself v system car',
  'others exactly state sounds support awesome hate power under 7 ok rule org black kids fine title',
  'course hours experience small haven que wanted seem especially says issue works however open',
  'rather came based house quite working saw needs talk called add family gonna o thinking matter',
  'amazing today likely number sometimes face hit took water head content months op half 30 taking',
  'thread worth completely easy body information country literally white heard possible ones happen',
  'whatever low unless couple tried source close comes goes deal night example hand government hey',
  'dont line super im girl account move original during wish dude sub leave similar list',
  'interesting coming wow single often happened men honestly told non sort news food posting kill',
  'funny absolutely card 50 later season basically jpg cause movie important type issues posted',
  'word community players win google karma answer given three learn played x 15 subject amount',
  'anyway hot war past age couldn rest lost mine self submission group order okay y turn hear',
  'entire book music search sound general due player together opinion situation article price',
  'online weeks control 9 simply enjoy reading 12 minutes p kid public front chance running class',
  'human room pick la huge party wikipedia normal haha die difference woman stay character build',
  'wants month asking internet girls history seriously american per weird version phone soon',
  'happens red send future business obviously info words outside eat become child c takes drive',
  'user behind points advice damage imagine law watching themselves personal knew text city crazy',
  'luck dead actual death asked within fight perfect worse totally short company clear above fair',
  'trade kinda report early allowed correct cut large favorite parents certain series seeing image',
  'picture light area fast except plus gave social page main fan whether break felt bought current',
  'common shot longer cannot trump cost space personally consider mom looked dog living shouldn',
  'knows view children alone b vs young extra problems thats worked gun beautiful bring 11 quality',
  'vote media average higher hold giving needed site anymore near hair save lose college code',
  'interested health poor fire glad welcome specific spend otherwise lots store market relationship',
  'paid share along note hour size local america images easily taken index clearly shows click',
  'argument sell although feeling follow characters supposed added plan drop choice discussion mods',
  'worst middle form itself include unfortunately following wife states joke straight mostly expect',
  'gone late dad id force safe finally serious sad data song bunch available moment baby feels',
  'simple value easier service term meant models currently users realize evidence several fit',
  'strong tv attack net option box style html eyes gives videos starting forget pass 40 figure test',
  'discord weight speed date art wonder beat including reasons doubt hurt police air across',
  'recently explain generally allow mention reply 18 ways perhaps response blue cards books write',
  'certainly major 25 inside act piece fans parts pc changed stand known assume nobody telling hi',
  'recommend offer science related result pm join waiting q choose attention app cheap dark special',
  'w total product complete g none gif process decent gold lives position helps claim png ya lower',
  'apparently decided door f rights pain drink holy mentioned terms twitter cat wear sign pro meet',
  'step computer language rate random towards bro hopefully faq base fall turned match million',
  'society color politics walk listen amazon forward english research exist format throw tax uk',
  'putting bet multiple server ah political difficult effect anti lmao places brain mother ready',
  'plenty create gotta somewhere hands quick changes building star older fix screen miss clean',
  'extremely religion links speak n calling somehow himself pull lack considered jesus se direct',
  'killed double male standard redd interest legal stick ability access continue buying context',
  'heart terrible der und das ist nicht ich ein eine zu mit auf den von es dass wie auch aber bei',
  'nur noch wird aus dem des oder wenn sie wir kann el los las un una por con para lo como pero más',
  'mas le su al del si les et est pas une qui dans pour ce sur il je vous nous avec mais ne au da',
  'os em um uma não nao é che di è sono della het een van dat niet voor zijn och att det som på pa',
  'är ar jeg og ikke na nie się jest z że ze bir bu и в не на что я с это как а то но по из у за',
  'hadn hasn weren ain mustn mightn needn shan',
]);

function words(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** The class of a token for the rule; 0: an ordinary one. */
const FREQUENT = 1;
/** One character (a letter of Chinese, Japanese, Thai …, a digit, an emoji): with another one always a pair. */
const SINGLE = 2;

export function tokenClass(token: string): number {
  const single = isSingle(token) ? SINGLE : 0;
  const isFrequent = mayBeListed(token) && (COMMON_TOKENS.has(token) || FREQUENT_TOKENS.has(token));
  return isFrequent ? single | FREQUENT : single;
}

/** True if two neighbours of these classes are indexed: both are frequent, or both single. */
export function isPair(first: number, second: number): boolean {
  return (first & second) !== 0;
}

/** One code point, or one letter of a script without spaces together with its marks. */
function isSingle(token: string): boolean {
  if (token.length === 1) return true;
  if (token.length === 2 && token.codePointAt(0)! > 0xffff) return true;
  return token.charCodeAt(0) >= 0x0e00 && LETTER_WITH_MARKS.test(token);
}

const LETTER_WITH_MARKS =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]\p{M}*$/u;

/** Length and first, second and last unit of listed tokens: they rule out most others without a look-up. */
const LISTED_SHAPES: ReadonlySet<number> = new Set([...COMMON_TOKENS, ...FREQUENT_TOKENS].map(shapeOf));

function mayBeListed(token: string): boolean {
  return LISTED_SHAPES.has(shapeOf(token));
}

/** Combines length and first, second and last unit. */
function shapeOf(token: string): number {
  const { length } = token;
  const ends = token.charCodeAt(0) * 0x1_0000 + token.charCodeAt(length - 1);
  return (ends * 0x100 + (token.charCodeAt(1) & 0xff)) * 0x100 + Math.min(length, 0xff);
}
