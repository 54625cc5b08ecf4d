/** A domain and all names below it. */
export function domains(...names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `*.${name}`])
}

/** The domains of one name in several countries. */
export function countries(name: string, suffixes: string): string[] {
  return domains(...suffixes.split(' ').map((suffix) => `${name}.${suffix}`))
}

/** The suffixes of Amazon's shops. */
export const AMAZON = 'com ca com.mx com.br co.uk de fr it es nl se pl be com.tr ae sa eg in co.jp sg com.au ie'

/** The suffixes of Pinterest's domains. */
export const PINTEREST = 'com at ca ch cl co.kr co.uk com.au com.mx de dk es fr ie info it jp nz ph pt se'

/** The suffixes of Google's domains: https://www.google.com/supported_domains. */
export const GOOGLE = [
  'com ad ae al am as at az ba be bf bg bi bj bs bt by ca cat cd cf cg ch ci cl cm cn cv cz de dj dk dm dz ee es fi fm fr',
  'ga ge gg gl gm gr gy hn hr ht hu ie im iq is it je jo kg ki kz la li lk lt lu lv md me mg mk ml mn mu mv mw ne nl no nr',
  'nu pl pn ps pt ro rs ru rw sc se sh si sk sm sn so sr st td tg tl tm tn to tt vu ws',
  'co.ao co.bw co.ck co.cr co.id co.il co.in co.jp co.ke co.kr co.ls co.ma co.mz co.nz co.th co.tz co.ug co.uk co.uz co.ve',
  'co.vi co.za co.zm co.zw com.af com.ag com.ar com.au com.bd com.bh com.bn com.bo com.br com.bz com.co com.cu com.cy',
  'com.do com.ec com.eg com.et com.fj com.gh com.gi com.gt com.hk com.jm com.kh com.kw com.lb com.ly com.mm com.mt com.mx',
  'com.my com.na com.ng com.ni com.np com.om com.pa com.pe com.pg com.ph com.pk com.pr com.py com.qa com.sa com.sb com.sg',
  'com.sl com.sv com.tj com.tr com.tw com.ua com.uy com.vc com.vn',
].join(' ')
