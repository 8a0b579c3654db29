import { attempt } from '@kernel/internal';
import { plain } from './lexicon.ts';

/**
 * Well-known places whose zone has another name, without cities that two zones have, such as Cambridge. So have the
 * zones that were renamed: `Intl` lists them by the name that CLDR gave them first, such as `Asia/Katmandu`, and takes
 * both.
 */
const PLACES = `America/New_York:nyc|boston|washington dc|miami
America/Los_Angeles:la|sf|san francisco|seattle|california
America/Sao_Paulo:rio|brasilia
Europe/London:uk|england|britain|scotland
Europe/Berlin:germany|munich|hamburg|frankfurt|cologne
Europe/Paris:france
Europe/Madrid:spain|barcelona
Europe/Rome:italy|milan
Europe/Zurich:switzerland|geneva|basel
Asia/Tokyo:japan|osaka|kyoto
Asia/Shanghai:china|beijing|shenzhen
Asia/Kolkata:india|kolkata|mumbai|delhi|new delhi|bangalore|bengaluru|chennai
Asia/Kathmandu:kathmandu|nepal
Asia/Yangon:yangon|myanmar
Asia/Ho_Chi_Minh:ho chi minh|ho chi minh city|hanoi|vietnam
Europe/Kyiv:kyiv|ukraine
Africa/Asmara:asmara|eritrea
America/Nuuk:nuuk
Atlantic/Faroe:faroe|faroe islands
Pacific/Chuuk:chuuk
Pacific/Pohnpei:pohnpei
Pacific/Kanton:kanton
UTC:utc|gmt|zulu`;

/** Zones that are no places, and cities whose names are more often other words. */
const OTHER_WORDS = /^Etc\/|\/(?:Christmas|Easter|Center|Wake|Midway|Reunion|Troll|Nome|Casey|Davis)$/;

const zonesByPlace = new Map<string, string>();

export function timeZoneOf(place: string): string | undefined {
  const [, sign, hours = '', minutes = '00'] = /^(?:UTC|GMT)([+-])(\d{1,2})(?::([0-5]\d))?$/i.exec(place) ?? [];
  if (sign !== undefined) return zoneNamed(`${sign}${hours.padStart(2, '0')}:${minutes}`);
  if (place.includes('/')) return zoneNamed(place);
  if (zonesByPlace.size === 0) readZones();
  return zonesByPlace.get(nameOf(place));
}

function readZones(): void {
  for (const zone of Intl.supportedValuesOf('timeZone'))
    if (zone.includes('/') && !OTHER_WORDS.test(zone)) zonesByPlace.set(nameOf(zone.split('/').at(-1) ?? ''), zone);
  for (const [, zone = '', places = ''] of PLACES.matchAll(/(.+):(.+)/g))
    for (const place of places.split('|')) zonesByPlace.set(place, zone);
}

function nameOf(place: string): string {
  return plain(place)
    .replaceAll(/[_.-]+/g, ' ')
    .trim();
}

function zoneNamed(name: string): string | undefined {
  if (!/^(?:[A-Za-z]|[+-]\d)[\w/+:-]*$/.test(name)) return undefined;
  return attempt(() => new Intl.DateTimeFormat('en', { timeZone: name })) && name;
}
