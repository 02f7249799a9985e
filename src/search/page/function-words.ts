// English words of four letters or more that say nothing alone. They are searched for like any others; only examples
// are made without them.

const WORDS = `about above actually after again against almost already also although always another any anyone anything
anyway around away back became because become been before began behind being believe below best better between both
came cannot come comes coming could dear deleted didn does doesn doing done dont down during each either else enough
even ever every everyone everything example feel felt find first followed following found from gave gets getting give
given gives goes going gonna good great guess guys happened hasn have haven having hello help hence here hers herself
himself hope however inside instead into isn itself just keep kind knew know known knows last later least left less
like liked likely little long look looked looking lots made make makes making many maybe mean means might mine more
most much must myself need needs never next nobody none nothing often once ones only other others ours over part people
perhaps please post posted posting probably quite rather really removed right said same saying says seem seems seen
several shall should show shows since some someone something sometimes somewhere soon started still stuff such sure
take taken takes taking tell than thank thanks that theirs them themselves then there therefore these they thing things
think this those though thought through thus till today together told took toward tried true trying turned under unless
until upon used using usually very want wanted wants wasn well went were weren what whatever when whenever where
whether which while whole whom whose will with within without wont work would wouldn year years yesterday your yours
yourself`;

export const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));
