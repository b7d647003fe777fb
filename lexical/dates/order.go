package dates

import (
	"slices"
	"strings"
	"time"
)

// order is the order of the day and the month in 7/9/2026.
type order uint8

const (
	bothOrders order = iota
	dayFirst
	monthFirst
)

// orderIn returns the order of a writer of one of these languages in a location. Languages
// other than English write the day first. For English the location decides; the order is
// unknown for a location with both orders, or without a country, such as UTC.
func orderIn(languages []string, zone *time.Location) order {
	if len(languages) > 0 && !slices.Contains(languages, "en") {
		return dayFirst
	}
	name := zone.String()
	region, city, ok := strings.Cut(name, "/")
	switch {
	case slices.Contains(monthFirstZones, name), region == "US", strings.HasPrefix(name, "America/Indiana/"),
		strings.HasPrefix(name, "America/Kentucky/"), strings.HasPrefix(name, "America/North_Dakota/"):
		return monthFirst
	case !ok || region == "Etc" || city == "" || region == "Canada" || slices.Contains(bothOrdersZones, name):
		return bothOrders
	}
	return dayFirst
}

// monthFirstZones are the zones that write the month first: the United States with its
// islands, and the Philippines.
var monthFirstZones = strings.Fields(`
America/New_York America/Detroit America/Chicago America/Menominee America/Denver America/Boise America/Phoenix America/Los_Angeles
America/Anchorage America/Juneau America/Sitka America/Metlakatla America/Yakutat America/Nome America/Adak
America/Indianapolis America/Fort_Wayne America/Louisville America/Knox_IN
Pacific/Honolulu Pacific/Guam Pacific/Saipan Pacific/Pago_Pago Pacific/Midway
EST5EDT CST6CDT MST7MDT PST8PDT Asia/Manila`)

// bothOrdersZones are the zones that use both orders.
var bothOrdersZones = strings.Fields(`
America/Toronto America/Montreal America/Vancouver America/Edmonton America/Winnipeg America/Regina America/Halifax America/St_Johns
America/Moncton America/Iqaluit America/Yellowknife America/Whitehorse America/Puerto_Rico America/Panama Africa/Nairobi Africa/Accra`)

// southern are the zones with the seasons of the southern hemisphere.
var southern = strings.Fields(`
Australia/ Antarctica/ Pacific/Auckland Pacific/Chatham America/Argentina/ America/Buenos_Aires America/Santiago America/Punta_Arenas America/Montevideo
America/Asuncion America/Sao_Paulo Brazil/East Chile/ NZ Africa/Johannesburg Africa/Maputo Africa/Harare Africa/Windhoek Africa/Gaborone Africa/Lusaka`)

// isSouthern reports whether a location has the seasons of the southern hemisphere.
func isSouthern(zone *time.Location) bool {
	name := zone.String()
	return slices.ContainsFunc(southern, func(prefix string) bool {
		return name == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(name, prefix)
	})
}
