package demo

// Names are roughly in order of how common they are; see pickCommon.

var femaleNames = []string{
	"Mary", "Jennifer", "Patricia", "Linda", "Elizabeth", "Jessica", "Sarah", "Karen", "Maria", "Lisa",
	"Ashley", "Emily", "Michelle", "Amanda", "Kimberly", "Stephanie", "Melissa", "Rebecca", "Laura", "Nicole",
	"Angela", "Christine", "Rachel", "Samantha", "Katherine", "Heather", "Olivia", "Sophia", "Hannah", "Grace",
	"Danielle", "Natalie", "Diana", "Brittany", "Victoria", "Teresa", "Alexis", "Tiffany", "Kayla", "Ana",
	"Chloé", "Priya", "Mei", "Fatima", "Aaliyah", "Imani", "Guadalupe", "Siobhan", "Noémie", "Thu",
	"Yolanda", "Ingrid", "Leilani", "Renée", "Anjali", "Ewa", "Soo-Jin", "Tatiana", "Winona", "Zoë",
}

var maleNames = []string{
	"James", "Michael", "Robert", "John", "David", "William", "Richard", "Joseph", "Thomas", "Christopher",
	"Daniel", "Matthew", "Anthony", "Mark", "Steven", "Andrew", "Joshua", "Kevin", "Brian", "Jose",
	"Timothy", "Jason", "Jeffrey", "Ryan", "Jacob", "Nicholas", "Eric", "Jonathan", "Justin", "Brandon",
	"Benjamin", "Samuel", "Gregory", "Alexander", "Patrick", "Carlos", "Luis", "Tyler", "Aaron", "Juan",
	"Ethan", "Darius", "Malik", "Rahul", "Wei", "Minh", "Omar", "Étienne", "Mathieu", "Tomás",
	"Ángel", "Kofi", "Dmitri", "Hiroshi", "Keoni", "Lars", "Mohammed", "Paweł", "Sanjay", "Tyrone",
}

var lastNames = []string{
	"Smith", "Johnson", "Williams", "Brown", "Jones", "Garcia", "Miller", "Davis", "Rodriguez", "Martinez",
	"Hernandez", "Lopez", "Gonzalez", "Wilson", "Anderson", "Thomas", "Taylor", "Moore", "Jackson", "Martin",
	"Lee", "Perez", "Thompson", "White", "Harris", "Sanchez", "Clark", "Ramirez", "Lewis", "Robinson",
	"Walker", "Young", "Allen", "King", "Wright", "Scott", "Torres", "Nguyen", "Hill", "Flores",
	"Green", "Adams", "Nelson", "Baker", "Hall", "Rivera", "Campbell", "Mitchell", "Carter", "Roberts",
	"Gomez", "Phillips", "Evans", "Turner", "Diaz", "Parker", "Cruz", "Edwards", "Collins", "Reyes",
	"Stewart", "Morris", "Morales", "Murphy", "Cook", "Rogers", "Gutierrez", "Ortiz", "Morgan", "Cooper",
	"Peterson", "Bailey", "Reed", "Kelly", "Howard", "Ramos", "Kim", "Cox", "Ward", "Richardson",
	"Watson", "Brooks", "Chavez", "Wood", "Bennett", "Gray", "Mendoza", "Ruiz", "Hughes", "Price",
	"Patel", "Chen", "Singh", "Tremblay", "O'Brien", "O'Connor", "McDonald", "MacLeod", "Côté", "Núñez",
	"Kowalski", "Schmidt", "Rossi", "Van Dyke", "St. Pierre", "Okafor", "Haddad", "Yamamoto", "Ivanov", "Begay",
	"Kealoha", "Fitzgerald", "Washington-Cole", "De la Cruz", "Lindqvist", "Papadopoulos", "Abdullah", "Gagnon", "Zhang", "Olufemi",
}

var shortNames = map[string]string{
	"Jennifer": "Jen", "Patricia": "Pat", "Elizabeth": "Liz", "Jessica": "Jess", "Kimberly": "Kim",
	"Stephanie": "Steph", "Rebecca": "Becky", "Christine": "Chris", "Samantha": "Sam", "Katherine": "Kate",
	"Victoria": "Vicky", "Teresa": "Terry", "Guadalupe": "Lupe", "Amanda": "Mandy", "Danielle": "Dani",
	"James": "Jim", "Michael": "Mike", "Robert": "Bob", "William": "Bill", "Richard": "Rick",
	"Joseph": "Joe", "Thomas": "Tom", "Christopher": "Chris", "Daniel": "Dan", "Matthew": "Matt",
	"Anthony": "Tony", "Steven": "Steve", "Andrew": "Andy", "Joshua": "Josh", "Timothy": "Tim",
	"Jeffrey": "Jeff", "Nicholas": "Nick", "Jonathan": "Jon", "Benjamin": "Ben", "Samuel": "Sam",
	"Gregory": "Greg", "Alexander": "Alex", "Patrick": "Pat", "Jose": "Pepe", "Mathieu": "Matt",
}

var streetNames = []string{
	"Main", "Oak", "Maple", "Cedar", "Elm", "Washington", "Lake", "Hill", "Walnut", "Park",
	"Spring", "Ridge", "Church", "Willow", "Mill", "Sunset", "Railroad", "Jackson", "River", "Franklin",
	"Highland", "Orchard", "Meadow", "Prospect", "Chestnut", "Harbor", "Juniper", "Magnolia", "Heritage", "Quail Run",
}

var streetKinds = []string{"St", "St", "St", "Ave", "Ave", "Rd", "Dr", "Ln", "Blvd", "Ct", "Way", "Pl"}
