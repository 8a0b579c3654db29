import { plain } from './stem.ts';

/** Well-known places whose zone has another name, without cities that two zones have, such as Cambridge. All other places come from the platform's own list of zones. */
const PLACES: readonly (readonly [zone: string, places: string])[] = [
  ['America/New_York', 'nyc|boston|washington|washington dc|miami|atlanta|philadelphia|orlando|pittsburgh|baltimore'],
  ['America/Chicago', 'houston|dallas|austin|san antonio|minneapolis|new orleans|nashville|st louis|milwaukee'],
  ['America/Denver', 'salt lake city|albuquerque'],
  ['America/Los_Angeles', 'la|sf|san francisco|seattle|las vegas|san diego|silicon valley|california'],
  ['America/Toronto', 'montreal|ottawa|quebec'],
  ['America/Edmonton', 'calgary'],
  ['America/Sao_Paulo', 'rio de janeiro|rio|brasilia|salvador'],
  ['America/Mexico_City', 'guadalajara'],
  [
    'Europe/London',
    'uk|united kingdom|england|britain|great britain|scotland|wales|manchester|edinburgh|glasgow|liverpool|cardiff|oxford',
  ],
  ['Europe/Berlin', 'germany|munich|muenchen|hamburg|frankfurt|cologne|koeln|stuttgart|dresden|leipzig|duesseldorf'],
  ['Europe/Paris', 'france|lyon|marseille|nice|toulouse|bordeaux'],
  ['Europe/Madrid', 'spain|barcelona|valencia|seville|sevilla'],
  ['Europe/Rome', 'italy|milan|milano|naples|venice|florence|turin'],
  ['Europe/Zurich', 'switzerland|geneva|basel|bern|zuerich'],
  ['Europe/Vienna', 'austria|salzburg|wien'],
  ['Europe/Amsterdam', 'netherlands|the hague|rotterdam|utrecht'],
  ['Europe/Brussels', 'belgium|antwerp|ghent'],
  ['Europe/Warsaw', 'poland|krakow|gdansk|wroclaw'],
  ['Europe/Prague', 'czechia|czech republic|brno'],
  ['Europe/Kyiv', 'ukraine|kyiv|kiev|lviv|odesa|odessa'],
  ['Europe/Istanbul', 'turkey|ankara|izmir'],
  ['Europe/Moscow', 'st petersburg|saint petersburg'],
  ['Europe/Stockholm', 'sweden|gothenburg'],
  ['Europe/Oslo', 'norway|bergen'],
  ['Europe/Copenhagen', 'denmark|aarhus'],
  ['Europe/Helsinki', 'finland'],
  ['Europe/Athens', 'greece'],
  ['Europe/Dublin', 'ireland'],
  ['Europe/Lisbon', 'porto'],
  ['Asia/Tokyo', 'japan|osaka|kyoto|nagoya|sapporo|yokohama'],
  ['Asia/Seoul', 'korea|south korea|busan'],
  ['Asia/Shanghai', 'china|beijing|peking|shenzhen|guangzhou|hangzhou|chengdu|wuhan'],
  ['Asia/Kolkata', 'india|kolkata|calcutta|mumbai|bombay|delhi|new delhi|bangalore|bengaluru|chennai|pune'],
  ['Asia/Karachi', 'pakistan|lahore|islamabad'],
  ['Asia/Dubai', 'abu dhabi|uae|emirates'],
  ['Asia/Qatar', 'doha'],
  ['Asia/Jerusalem', 'israel|tel aviv|haifa'],
  ['Asia/Riyadh', 'saudi arabia|mecca|jeddah'],
  ['Asia/Ho_Chi_Minh', 'vietnam|hanoi|saigon|ho chi minh city'],
  ['Asia/Bangkok', 'thailand'],
  ['Asia/Kathmandu', 'nepal|kathmandu'],
  ['Asia/Yangon', 'myanmar|yangon'],
  ['Africa/Johannesburg', 'south africa|cape town|pretoria|durban'],
  ['Africa/Cairo', 'egypt'],
  ['Africa/Lagos', 'nigeria|abuja'],
  ['Africa/Nairobi', 'kenya'],
  ['Australia/Sydney', 'canberra'],
  ['Australia/Brisbane', 'gold coast'],
  ['Pacific/Auckland', 'new zealand|wellington|christchurch'],
  ['UTC', 'utc|gmt|zulu'],
];

let byPlace: ReadonlyMap<string, string> | undefined;

/** Returns the IANA zone of a city, a country with one zone, or a zone's own name. Case and accents do not matter. */
export function timeZoneOf(place: string): string | undefined {
  if (place.includes('/')) return canonicalZone(place);
  const [, sign, hours, minutes] = /^(?:UTC|GMT)([+-])(\d{1,2})(?::(\d{2}))?$/i.exec(place) ?? [];
  if (sign !== undefined && hours !== undefined) return offsetZone(sign, Number(hours), minutes ?? '00');
  byPlace ??= placeIndex();
  return byPlace.get(
    plain(place)
      .replaceAll(/[_.-]+/g, ' ')
      .trim(),
  );
}

/** `UTC+5` by the name that the zone database gives it, which has the opposite sign; other offsets as `+05:30`. */
function offsetZone(sign: string, hours: number, minutes: string): string | undefined {
  if (hours > (sign === '+' ? 14 : 12) || Number(minutes) > 59) return undefined;
  if (minutes !== '00') return `${sign}${String(hours).padStart(2, '0')}:${minutes}`;
  return hours === 0 ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
}

/** Cities of the zone database whose names are more often other words. */
const AMBIGUOUS = new Set([
  'Christmas',
  'Easter',
  'Center',
  'Wake',
  'Midway',
  'Reunion',
  'Troll',
  'Nome',
  'Casey',
  'Davis',
]);

function placeIndex(): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const city = zone.split('/').slice(1).at(-1);
    if (city !== undefined && !zone.startsWith('Etc/') && !AMBIGUOUS.has(city))
      index.set(plain(city).replaceAll(/[_-]/g, ' '), zone);
  }
  for (const [zone, places] of PLACES) for (const place of places.split('|')) index.set(place, zone);
  return index;
}

function canonicalZone(name: string): string | undefined {
  if (!/^[A-Za-z]+(?:[_+-]?[A-Za-z0-9]+)*(?:\/[A-Za-z0-9_+-]+){1,2}$/.test(name)) return undefined;
  try {
    const cased = name.replaceAll(/[a-z]+/gi, (part) => (/^(?:of|es|au|de)$/i.test(part) ? part.toLowerCase() : part));
    return new Intl.DateTimeFormat('en', { timeZone: cased }).resolvedOptions().timeZone === '' ? undefined : cased;
  } catch {
    return undefined;
  }
}
